package shape_test

// A decoder that has names for sizes that the graph around it has as well.
const decoder = `
graph decode
input ids i32[batch,seq]
input embeddings f32[50,4]
hidden = Gather(embeddings, ids)
logits = MatMul(hidden, out)
output logits f32[batch,seq,50]
end
`

const prompts = `
opset 17
opset com.microsoft 1
input prompt i32[batch,seq]
init most i32[1] 20
init beams i32[1] 4
init back i32[1] 2
init out f32[4,50] 1
init factor f32[1] 1
` + decoder

var searches = []example{
	{name: "beams", model: prompts + `
		s, p, all = com.microsoft::BeamSearch(prompt, most, , beams, back, factor) decoder=@decode eos_token_id=1 pad_token_id=0
	`, want: map[string]string{"s": "i32 batch×2×20", "p": "f32 batch×2", "all": "f32 20-seq×batch×4×50", "hidden": "f32 decoder.batch×decoder.seq×4", "logits": "f32 decoder.batch×decoder.seq×50"}, demands: []string{"seq+1 <= 20"}},
	{name: "a vocabulary that is stated", model: prompts + `
		s, p, all = com.microsoft::BeamSearch(prompt, most, , beams, back, factor) decoder=@decode eos_token_id=1 pad_token_id=0 vocab_size=48 model_type=1
	`, want: map[string]string{"all": "f32 ?×batch×4×48"}},
	{name: "lengths that are inputs", model: prompts + `
		input n i32[1]
		s, p = com.microsoft::BeamSearch(prompt, n, , n, n, factor) decoder=@decode eos_token_id=1 pad_token_id=0
	`, want: map[string]string{"s": "i32 batch×?×?", "p": "f32 batch×?"}},
	{name: "whisper", model: prompts + `
		input sound f32[batch,80,frames]
		input heads i32[kept,2]
		s, p, all, qk, silent = com.microsoft::WhisperBeamSearch(sound, most, , beams, back, factor, , , , , , , heads) decoder=@decode eos_token_id=1 pad_token_id=0 model_type=2
	`, want: map[string]string{"s": "i32 batch×2×20", "qk": "f32 batch×2×kept×?×?", "silent": "f32 batch"}},
	{name: "greedy", model: prompts + `
		s = com.microsoft::GreedySearch(prompt, most) decoder=@decode eos_token_id=1 pad_token_id=0
	`, want: map[string]string{"s": "i32 batch×20"}, demands: []string{"seq+1 <= 20"}},
	{name: "greedy, without a batch", model: prompts + `
		input row i32[seq]
		s = com.microsoft::GreedySearch(row, most) decoder=@decode eos_token_id=1 pad_token_id=0
	`, want: map[string]string{"s": "i32 seq×20"}, problems: []string{"should have rank 2"}},
	{name: "sampling", model: prompts + `
		s, l = com.microsoft::Sampling(prompt, most) decoder=@decode eos_token_id=1 pad_token_id=0
	`, want: map[string]string{"s": "i32 batch×20", "l": "f32 batch×50"}, demands: []string{"seq+1 <= 20"}},
}
