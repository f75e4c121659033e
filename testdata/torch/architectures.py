"""Small transformers of many architectures, with random weights: a function for each gives what `lathe torch task` takes.

python architectures.py prints the names and the task of each as JSON.
"""
import json, sys

import torch
import transformers as T
from tasks import WORDS, tokenizer

SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 64, "vocab_size": len(WORDS), "pad_token_id": 0}
SEQ = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "max_position_embeddings": 64,
       "vocab_size": len(WORDS), "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 3}
VIT = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "image_size": 32, "patch_size": 8}
WAVE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "conv_dim": (8, 8, 8), "conv_kernel": (10, 8, 4), "conv_stride": (5, 4, 2), "num_feat_extract_layers": 3,
        "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, "vocab_size": len(WORDS), "classifier_proj_size": 8}
_ALL = {}


def one(name, task, kind, config, reads=tokenizer, **more):
    """Registers a model under a name of this module."""

    def make():
        torch.manual_seed(0)
        settings = {k: v for k, v in config.items()}
        settings.update(more)
        made = getattr(T, kind)(getattr(T, settings.pop("config"))(**settings)).eval()
        with torch.no_grad():
            for p in made.parameters():
                if p.dim() > 1:
                    p.copy_(torch.randn_like(p) * 0.3)
        return made, reads() if reads else None

    make.__name__ = name
    globals()[name] = make
    _ALL[name] = task


def text(name, task, base, head, **more):
    one(name, task, base + head, dict(SMALL, config=base + "Config"), **more)


# Encoders of text, over all tasks.
text("bert", "default", "Bert", "Model")
text("roberta", "text-classification", "Roberta", "ForSequenceClassification")
text("xlm_roberta", "zero-shot-classification", "XLMRoberta", "ForSequenceClassification", num_labels=3)
text("camembert", "token-classification", "Camembert", "ForTokenClassification", num_labels=5)
text("electra", "fill-mask", "Electra", "ForMaskedLM", embedding_size=8)
text("albert", "question-answering", "Albert", "ForQuestionAnswering", embedding_size=8)
text("deberta", "text-classification", "Deberta", "ForSequenceClassification", relative_attention=True, pos_att_type="c2p|p2c", max_relative_positions=8)
text("deberta_v2", "zero-shot-classification", "DebertaV2", "ForSequenceClassification", relative_attention=True, pos_att_type="c2p|p2c", position_buckets=4, max_relative_positions=8, num_labels=3)
text("mpnet", "pooling", "MPNet", "Model")
text("mobilebert", "question-answering", "MobileBert", "ForQuestionAnswering", embedding_size=8, true_hidden_size=8, intra_bottleneck_size=8)
text("convbert", "token-classification", "ConvBert", "ForTokenClassification", embedding_size=8, head_ratio=1, conv_kernel_size=3)
text("roformer", "fill-mask", "RoFormer", "ForMaskedLM", embedding_size=8)
text("ernie", "text-classification", "Ernie", "ForSequenceClassification")
text("megatron_bert", "token-classification", "MegatronBert", "ForTokenClassification")
text("layoutlm", "default", "LayoutLM", "Model")
text("nystromformer", "fill-mask", "Nystromformer", "ForMaskedLM", num_landmarks=4, segment_means_seq_len=4)
text("esm", "fill-mask", "Esm", "ForMaskedLM", mask_token_id=4, position_embedding_type="rotary")
text("modernbert", "fill-mask", "ModernBert", "ForMaskedLM", cls_token_id=2, sep_token_id=3, global_attn_every_n_layers=2, local_attention=4)
text("rembert", "default", "RemBert", "Model", input_embedding_size=8, output_embedding_size=8)
text("cross_encoder", "cross-encoder", "Bert", "ForSequenceClassification", reads=lambda: tokenizer("token_type_ids"), num_labels=1)
one("distilbert", "token-classification", "DistilBertForTokenClassification", {"config": "DistilBertConfig", "vocab_size": len(WORDS), "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 64})
one("xlm", "text-classification", "XLMForSequenceClassification", {"config": "XLMConfig", "vocab_size": len(WORDS), "emb_dim": 16, "n_layers": 2, "n_heads": 2, "max_position_embeddings": 64, "pad_index": 0})
one("fnet", "fill-mask", "FNetForMaskedLM", {"config": "FNetConfig", "vocab_size": len(WORDS), "hidden_size": 16, "num_hidden_layers": 2, "intermediate_size": 24, "max_position_embeddings": 64}, reads=lambda: tokenizer("token_type_ids"))
# Decoders that classify.
one("gpt2", "text-classification", "GPT2ForSequenceClassification", {"config": "GPT2Config", "vocab_size": len(WORDS), "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64, "pad_token_id": 0})
text("llama", "default", "Llama", "Model", num_key_value_heads=1)
# Encoders with decoders.
one("bart", "zero-shot-classification", "BartForSequenceClassification", dict(SEQ, config="BartConfig"), num_labels=3)
one("mbart", "zero-shot-classification", "MBartForSequenceClassification", dict(SEQ, config="MBartConfig"), num_labels=3)
one("bart_encoder", "seq2seq-encoder", "BartForConditionalGeneration", dict(SEQ, config="BartConfig"))
one("bart_decoder", "seq2seq-decoder", "BartForConditionalGeneration", dict(SEQ, config="BartConfig"))
T5 = {"config": "T5Config", "vocab_size": len(WORDS), "d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2, "relative_attention_num_buckets": 8, "decoder_start_token_id": 0, "pad_token_id": 0}
one("t5_encoder", "seq2seq-encoder", "T5ForConditionalGeneration", T5)
one("t5_decoder", "seq2seq-decoder", "T5ForConditionalGeneration", T5)
one("t5_sentences", "pooling", "T5Model", T5)
one("marian_decoder", "seq2seq-decoder", "MarianMTModel", dict(SEQ, config="MarianConfig"))
one("pegasus_encoder", "seq2seq-encoder", "PegasusForConditionalGeneration", dict(SEQ, config="PegasusConfig"))
# Images.
one("vit", "image-classification", "ViTForImageClassification", dict(VIT, config="ViTConfig"), reads=None, num_labels=5)
one("deit", "image-classification", "DeiTForImageClassification", dict(VIT, config="DeiTConfig"), reads=None)
one("beit", "image-classification", "BeitForImageClassification", dict(VIT, config="BeitConfig"), reads=None)
one("dinov2", "default", "Dinov2Model", dict(VIT, config="Dinov2Config"), reads=None)
one("swin", "image-classification", "SwinForImageClassification", {"config": "SwinConfig", "image_size": 32, "patch_size": 2, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4}, reads=None)
one("convnext", "image-classification", "ConvNextForImageClassification", {"config": "ConvNextConfig", "hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2, "image_size": 32}, reads=None)
one("resnet", "image-classification", "ResNetForImageClassification", {"config": "ResNetConfig", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic"}, reads=None)
one("mobilenet_v2", "default", "MobileNetV2Model", {"config": "MobileNetV2Config", "image_size": 32, "depth_multiplier": 0.25}, reads=None)
# Sounds.
one("wav2vec2", "audio-classification", "Wav2Vec2ForSequenceClassification", dict(WAVE, config="Wav2Vec2Config"), reads=None)
one("hubert", "default", "HubertModel", dict(WAVE, config="HubertConfig"), reads=None)
one("wavlm", "audio-classification", "WavLMForSequenceClassification", dict(WAVE, config="WavLMConfig"), reads=None)
one("ast", "audio-classification", "ASTForAudioClassification", {"config": "ASTConfig", "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "max_length": 48, "num_mel_bins": 16, "patch_size": 8, "frequency_stride": 4, "time_stride": 4}, reads=None)
one("whisper_encoder", "seq2seq-encoder", "WhisperForConditionalGeneration", dict(SEQ, config="WhisperConfig", max_source_positions=40, max_target_positions=32, num_mel_bins=8), reads=None)
one("whisper_decoder", "seq2seq-decoder", "WhisperForConditionalGeneration", dict(SEQ, config="WhisperConfig", max_source_positions=40, max_target_positions=32, num_mel_bins=8), reads=None)

if __name__ == "__main__":
    json.dump(_ALL, sys.stdout)
