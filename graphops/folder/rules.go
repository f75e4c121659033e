package folder

import "lathe/graphops/roles"

// rule says that an output of one member feeds an input of another although their names differ, or
// that the pipeline changes the value in between.
type rule struct {
	from []Role
	out  []string // names of outputs in lower case, the best first
	to   []Role
	in   []string   // names of inputs in lower case
	kind roles.Kind // or the role of the input, if not Unknown
	turn Turn
	via  string
	// joins is set if the values of several members are joined. via then applies only if there are
	// several.
	joins bool
	// only is set if there is no wire of this rule to an input that has another one.
	only bool
}

// decoders are the roles of models that make the next token.
var decoders = []Role{Decoder, WithPast, MergedRole}

// hiddenNames are names of the hidden states that an encoder returns.
var hiddenNames = []string{"encoder_hidden_states", "last_hidden_state", "hidden_states", "encoder_outputs", "encoder_output", "encoder_out", "encoder_last_hidden_state", "hidden_state", "audio_features", "memory", "output", "outputs"}

// pictureNames are names of what a model of pictures or sound returns.
var pictureNames = []string{"image_features", "audio_features", "image_embeds", "audio_embeds", "vision_features", "visual_features", "image_embeddings", "projected", "features", "last_hidden_state", "hidden_states", "output"}

// rules are tried in this order; the first one that finds a wire counts.
var rules = []rule{
	{
		from: []Role{Encoder}, out: []string{"encoder_out", "encoder_outputs", "outputs", "encoded"},
		to: []Role{Joiner}, in: []string{"encoder_out", "encoder_outputs"}, via: "one frame at a time",
	},
	{
		from: []Role{Decoder}, out: []string{"decoder_out", "decoder_outputs", "outputs"},
		to: []Role{Joiner}, in: []string{"decoder_out", "decoder_outputs"}, via: "one position at a time",
	},
	{
		from: []Role{Denoiser}, out: []string{"out_sample", "sample", "noise_pred", "velocity", "output"},
		to: []Role{VAEDecoder}, in: []string{"latent_sample", "latents", "latent", "sample", "z"}, via: "the last step of the scheduler, and scaling",
	},
	{
		from: []Role{VAEEncoder}, out: []string{"latent_sample", "latent_parameters", "latent_dist", "latent", "latents", "moments"},
		to: []Role{Denoiser}, in: []string{"sample", "hidden_states", "latent", "latents"}, turn: First, via: "scaling and noise, if the pipeline starts from a picture",
	},
	{
		from: []Role{VAEDecoder}, out: []string{"sample", "image", "images"},
		to: []Role{Safety}, in: []string{"images", "sample"},
	},
	{
		from: []Role{TextEncoder}, out: []string{"text_embeds", "pooler_output", "pooled_output"},
		to: []Role{Denoiser, ControlNet}, in: []string{"text_embeds", "pooled_projections"}, joins: true, via: "joined with that of the other text encoders",
	},
	{
		from: []Role{TextEncoder, Encoder}, out: hiddenNames,
		to: []Role{Denoiser, ControlNet}, in: []string{"encoder_hidden_states"}, joins: true, via: "joined with that of the other text encoders",
	},
	{
		from: []Role{ImageEncoder}, out: []string{"image_embeds", "last_hidden_state"},
		to: []Role{Denoiser}, in: []string{"image_embeds"},
	},
	{
		from: []Role{Projector, Vision, Speech}, out: pictureNames,
		to: []Role{Embedding}, in: []string{"image_features", "image_embeds", "vision_features", "visual_features", "audio_features"},
	},
	{
		from: []Role{Vision, Speech}, out: pictureNames,
		to: []Role{Projector}, in: pictureNames,
	},
	{
		from: []Role{Embedding}, out: []string{"inputs_embeds", "embeddings", "embeds", "input_embeds", "token_embeddings"},
		to: []Role{Encoder, Decoder, WithPast, MergedRole}, in: []string{"inputs_embeds", "embeddings", "input_embeds", "decoder_inputs_embeds"}, kind: roles.Embeddings,
	},
	{
		from: []Role{Encoder}, out: hiddenNames,
		to: decoders, in: []string{"encoder_hidden_states", "encoder_outputs", "encoder_output", "encoder_out", "encoder_states", "encoder_hidden_state", "audio_features", "memory", "xa", "enc_out"}, kind: roles.Encoded,
	},
	{
		from: []Role{TextEncoder, Speech, Vision}, out: hiddenNames,
		to: decoders, in: []string{"encoder_hidden_states"}, kind: roles.Encoded, only: true,
	},
}

// merging are the wires of pictures and sound into the embeddings of tokens, if no model does that.
var merging = rule{
	from: []Role{Projector, Vision, Speech}, out: pictureNames,
	to: []Role{Encoder, Decoder, WithPast, MergedRole}, in: []string{"inputs_embeds", "embeddings", "input_embeds"}, kind: roles.Embeddings,
	via: "in place of its placeholder tokens",
}

// scheduling is the wire of a denoiser to itself.
var scheduling = rule{
	from: []Role{Denoiser}, out: []string{"out_sample", "sample", "noise_pred", "velocity", "output"},
	to: []Role{Denoiser}, in: []string{"sample", "hidden_states", "latent", "latents"}, turn: Next, via: "the scheduler",
}

// configRule says that one key of genai_config.json feeds another.
type configRule struct {
	from, to Role
	out, in  string
	turn     Turn
}

// configRules are pairs of keys of genai_config.json. One key feeds the other.
var configRules = []configRule{
	{Decoder, Decoder, "present_key_names", "past_key_names", Next},
	{Decoder, Decoder, "present_value_names", "past_value_names", Next},
	{Decoder, Decoder, "present_names", "past_names", Next},
	{Decoder, Decoder, "rnn_states", "rnn_prev_states", Next},
	{Encoder, Decoder, "cross_present_key_names", "cross_past_key_names", Always},
	{Encoder, Decoder, "cross_present_value_names", "cross_past_value_names", Always},
	{Encoder, Decoder, "encoder_hidden_states", "encoder_hidden_states", Always},
	{Encoder, Decoder, "hidden_states", "encoder_hidden_states", Always},
	{Embedding, Decoder, "inputs_embeds", "inputs_embeds", Always},
	{Embedding, Encoder, "inputs_embeds", "inputs_embeds", Always},
	{Vision, Embedding, "image_features", "image_features", Always},
	{Speech, Embedding, "audio_features", "audio_features", Always},
}

// callers are inputs of pipelines that come from the caller, by name, where package roles knows no
// role.
var callers = map[string]string{
	"timestep": "time step of the scheduler", "timesteps": "time step of the scheduler", "t": "time step of the scheduler",
	"sample": "noise", "latent": "noise", "latents": "noise",
	"pixel_values": "picture", "images": "picture", "image": "picture", "clip_input": "picture", "controlnet_cond": "picture",
	"pixel_attention_mask": "mask of the picture", "image_sizes": "sizes of the pictures", "image_grid_thw": "sizes of the pictures",
	"input_features": "sound", "input_values": "sound", "mel": "sound", "audio": "sound", "audio_signal": "sound", "audio_features": "sound", "speech": "sound", "audio_embeds": "sound", "x": "sound or picture",
	"x_lens": "length of the sound", "x_length": "length of the sound", "audio_sizes": "length of the sound", "length": "length", "audio_projection_mode": "setting",
	"time_ids": "sizes and crop of the picture", "timestep_cond": "setting", "guidance": "setting", "guidance_scale": "setting", "conditioning_scale": "setting",
	"txt_ids": "positions", "img_ids": "positions", "offset": "position of the first token", "y": "token ids", "tokens": "token ids", "targets": "token ids", "target_length": "length of the tokens",
	"token_types": "segments", "processed_lens": "length that was processed",
}
