"""Makes five small decoders of different architectures with onnxruntime-genai's model builder, with random weights: OUT.

Needs torch, transformers, onnxruntime, onnxruntime-genai and sentencepiece. Nothing is downloaded but these.
"""

import os
import subprocess
import sys
import tempfile

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, Gemma2Config, LlamaConfig, MistralConfig, Phi3Config, PreTrainedTokenizerFast, Qwen2Config

WORDS = 4096
common = dict(vocab_size=WORDS, hidden_size=256, intermediate_size=688, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=4,
              max_position_embeddings=4096, bos_token_id=1, eos_token_id=2, pad_token_id=3, initializer_range=0.1)
kinds = {
    "llama": LlamaConfig(**common),
    "qwen": Qwen2Config(**common),
    "phi": Phi3Config(**common, original_max_position_embeddings=4096),
    "gemma": Gemma2Config(**common, head_dim=32, sliding_window=1024),
    "mistral": MistralConfig(**common, sliding_window=None),
}


def save_tokenizer(folder):
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.pre_tokenizer = pre_tokenizers.ByteLevel()
    special = ["<unk>", "<s>", "</s>", "<pad>"]
    t.train_from_iterator(["the quick brown fox"] * 9, trainers.BpeTrainer(vocab_size=300, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="<pad>").save_pretrained(folder)


for name, config in kinds.items():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as source:
        AutoModelForCausalLM.from_config(config).save_pretrained(source)
        save_tokenizer(source)
        builder = [sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", source, "-o", os.path.join(sys.argv[1], name), "-p", "int4", "-e", "cpu", "-c", os.path.join(source, "cache")]
        subprocess.run(builder, check=True, stdout=subprocess.DEVNULL)
