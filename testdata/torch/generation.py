"""Small models that generate, of many families, with random weights from configurations. Nothing is downloaded.

python generation.py prints the names and their tasks as JSON. Each name is a function that returns the model.
"""
import json, sys

import torch
import transformers as T

V = 320
# The weights are large, so that what comes out depends on the tokens before.
COMMON = dict(vocab_size=V, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=256, initializer_range=0.2, bos_token_id=1, eos_token_id=2, pad_token_id=3)
GROUPED = dict(COMMON, num_key_value_heads=2)
ENDS = dict(bos_token_id=1, eos_token_id=2, pad_token_id=3)
SEQ = dict(vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, init_std=0.2)
_ALL = {}


def one(name, task, config, **options):
    """Adds a model under a name."""

    def made():
        torch.manual_seed(0)
        kind = T.AutoModelForCausalLM if task == "text-generation" else T.AutoModelForSpeechSeq2Seq if config == "WhisperConfig" else T.AutoModelForSeq2SeqLM
        return kind.from_config(getattr(T, config)(**options)).eval()

    _ALL[name] = task
    globals()[name] = made


one("llama", "text-generation", "LlamaConfig", **GROUPED)
one("qwen2", "text-generation", "Qwen2Config", **GROUPED)
one("qwen3", "text-generation", "Qwen3Config", **GROUPED, head_dim=16)
one("mistral", "text-generation", "MistralConfig", **GROUPED, sliding_window=8)
one("gemma2", "text-generation", "Gemma2Config", **GROUPED, head_dim=16, sliding_window=8)
one("gemma3", "text-generation", "Gemma3TextConfig", **GROUPED, head_dim=16, sliding_window=8, layer_types=["sliding_attention", "full_attention"])
one("phi3", "text-generation", "Phi3Config", **COMMON, num_key_value_heads=4, original_max_position_embeddings=256)
one("mixtral", "text-generation", "MixtralConfig", **GROUPED, num_local_experts=4, num_experts_per_tok=2)
one("gpt2", "text-generation", "GPT2Config", vocab_size=V, n_embd=64, n_layer=2, n_head=4, n_positions=256, initializer_range=0.2, bos_token_id=1, eos_token_id=2)
one("opt", "text-generation", "OPTConfig", vocab_size=V, hidden_size=64, ffn_dim=96, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=256, word_embed_proj_dim=64, init_std=0.2, **ENDS)
one("bloom", "text-generation", "BloomConfig", vocab_size=V, hidden_size=64, n_layer=2, n_head=4, initializer_range=0.2, **ENDS)
one("falcon", "text-generation", "FalconConfig", vocab_size=V, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, initializer_range=0.2, max_position_embeddings=256, bos_token_id=1, eos_token_id=2)
one("mamba", "text-generation", "MambaConfig", vocab_size=V, hidden_size=32, state_size=8, num_hidden_layers=2, initializer_range=0.2, **ENDS)
one("t5", "text2text-generation", "T5Config", vocab_size=V, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0, pad_token_id=0)
one("bart", "text2text-generation", "BartConfig", **SEQ, max_position_embeddings=128, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2)
one("whisper", "text2text-generation", "WhisperConfig", **SEQ, max_source_positions=50, pad_token_id=1, bos_token_id=2, eos_token_id=3, decoder_start_token_id=2, suppress_tokens=None, begin_suppress_tokens=None)


class Own(torch.nn.Module):
    """A model of one's own that takes a cache, keywords and a number. kind is the class of the cache."""

    def __init__(self, kind="DynamicCache"):
        super().__init__()
        self.inner, self.kind = llama(), kind

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, scale=2.0):
        told = self.inner(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=past_key_values, use_cache=True)
        return {"scores": told.logits * scale, "cache": told.past_key_values}


def own():
    """A model with an example whose cache is a DynamicCache, as a user has it."""
    model = Own()
    cache = T.DynamicCache(config=model.inner.config)
    with torch.no_grad():
        model.inner(torch.arange(8).reshape(2, 4), past_key_values=cache)
    return model, (), {"input_ids": torch.arange(6).reshape(2, 3), "attention_mask": torch.ones(2, 7, dtype=torch.int64), "position_ids": torch.arange(4, 7).repeat(2, 1), "past_key_values": cache}


def fixed():
    """The same with a cache that has room for a fixed number of positions."""
    model = Own()
    cache = T.StaticCache(config=model.inner.config, max_cache_len=16)
    with torch.no_grad():
        model.inner(torch.arange(8).reshape(2, 4), past_key_values=cache)
    return model, (), {"input_ids": torch.arange(6).reshape(2, 3), "past_key_values": cache}


class Forgets(torch.nn.Module):
    """A model with a fault: with a cache, its positions begin at 0 again."""

    def __init__(self):
        super().__init__()
        self.inner = llama()

    def forward(self, input_ids, past_key_values):
        positions = torch.arange(input_ids.shape[1]).repeat(input_ids.shape[0], 1)
        told = self.inner(input_ids=input_ids, position_ids=positions, past_key_values=past_key_values, use_cache=True)
        return {"logits": told.logits, "past_key_values": told.past_key_values}


def forgets():
    model, _, given = own()
    return Forgets(), (), {n: given[n] for n in ("input_ids", "past_key_values")}


def early():
    """A window that the example has left already."""
    model = mistral()
    cache = T.DynamicCache(config=model.config)
    with torch.no_grad():
        model(torch.arange(24).reshape(2, 12), past_key_values=cache)
    return model, (), {"input_ids": torch.arange(6).reshape(2, 3), "past_key_values": cache}


if __name__ == "__main__":
    json.dump(_ALL, sys.stdout)
