"""Transformers of a few thousand weights, made from configurations.

python tasks.py DIR writes each into a folder of its own, as a user would have it on disk. A
function of this file gives one as (model, tokenizer).
"""
import json, os, sys

import torch
import transformers

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "test", "inputs", "a", "second", ",", "longer", "text", "to", "with"]


def tokenizer(*more):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", model_input_names=["input_ids", *more, "attention_mask"])


def config(kind, **more):
    small = {"vocab_size": len(WORDS), "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 64}
    small.update(more)
    return kind(**small)


def bert(kind, **more):
    torch.manual_seed(0)
    return kind(config(transformers.BertConfig, **more)).eval()


def distilbert():
    torch.manual_seed(0)
    c = transformers.DistilBertConfig(vocab_size=len(WORDS), dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=64)
    return transformers.DistilBertModel(c).eval()


def t5():
    torch.manual_seed(0)
    c = transformers.T5Config(vocab_size=len(WORDS), d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, relative_attention_num_buckets=8, decoder_start_token_id=0, pad_token_id=0)
    return transformers.T5ForConditionalGeneration(c).eval()


def vit():
    torch.manual_seed(0)
    c = transformers.ViTConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, image_size=32, patch_size=8, num_labels=3)
    return transformers.ViTForImageClassification(c).eval()


def pair(folder, model):
    """A cross-encoder: its tokenizer takes two texts and numbers them."""
    keep(folder, model, "token_type_ids")


def own():
    """A classifier that nothing is kept of on disk."""
    return bert(transformers.BertForSequenceClassification, num_labels=4), tokenizer()


def sentences(folder, model, pooling, *more):
    """A folder in the layout of sentence transformers."""
    keep(folder, model)
    modules = [("", "Transformer", None), ("1_Pooling", "Pooling", pooling), *more]
    listed = []
    for i, (path, kind, content) in enumerate(modules):
        listed.append({"idx": i, "name": str(i), "path": path, "type": "sentence_transformers.models." + kind})
        if content is not None:
            os.makedirs(os.path.join(folder, path), exist_ok=True)
            write(folder, path, "config.json", content)
    write(folder, "modules.json", listed)


def write(*where_and_content):
    *where, content = where_and_content
    with open(os.path.join(*where), "w") as f:
        json.dump(content, f)


def keep(folder, model, *more):
    model.save_pretrained(folder)
    tokenizer(*more).save_pretrained(folder)


def main(to):
    transformers.logging.set_verbosity_error()
    os.makedirs(to, exist_ok=True)
    at = lambda name: os.path.join(to, name)
    keep(at("bert"), bert(transformers.BertModel))
    keep(at("half"), bert(transformers.BertModel).half())
    keep(at("distilbert"), distilbert())
    keep(at("answering"), bert(transformers.BertForQuestionAnswering), "token_type_ids")
    keep(at("classifier"), bert(transformers.BertForSequenceClassification, num_labels=3))
    sentences(at("cls"), bert(transformers.BertModel), {"word_embedding_dimension": 16, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, ("2_Normalize", "Normalize", None))
    sentences(
        at("dense"),
        bert(transformers.BertModel),
        {"word_embedding_dimension": 16, "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True, "pooling_mode_lasttoken": True, "pooling_mode_weightedmean_tokens": True},
        ("2_Dense", "Dense", {"in_features": 64, "out_features": 8, "bias": True, "activation_function": "torch.nn.modules.activation.Tanh"}),
    )
    keep(at("tokens"), bert(transformers.BertForTokenClassification, num_labels=3))
    keep(at("masked"), bert(transformers.BertForMaskedLM))
    pair(at("pairs"), bert(transformers.BertForSequenceClassification, num_labels=1))
    keep(at("t5"), t5())
    vit().save_pretrained(at("vit"))
    from safetensors.torch import save_file

    torch.manual_seed(1)
    save_file({"linear.weight": torch.randn(8, 64), "linear.bias": torch.randn(8)}, os.path.join(to, "dense", "2_Dense", "model.safetensors"))
    sentences(at("odd"), bert(transformers.BertModel), {"pooling_mode_mean_tokens": True}, ("2_CNN", "CNN", {}))
    with open(os.path.join(to, "made"), "w"):
        pass


if __name__ == "__main__":
    main(sys.argv[1])
