package shape_test

import "testing"

func TestRecurrent(t *testing.T) {
	check(t, []example{
		{name: "LSTM both ways", model: `
			input x f32[seq,batch,10]
			init w f32[2,32,10] 0
			init r f32[2,32,8] 0
			y, h, s = LSTM(x, w, r) direction='bidirectional' hidden_size=8
		`, want: map[string]string{"y": "f32 seq×2×batch×8", "h": "f32 2×batch×8", "s": "f32 2×batch×8"}},
		{name: "the batch first, since 14", model: `
			input x f32[batch,seq,10]
			input h0 f32[batch,1,8]
			init w f32[1,24,10] 0
			init r f32[1,24,8] 0
			y, h = GRU(x, w, r, , , h0) layout=1 hidden_size=8
		`, want: map[string]string{"y": "f32 batch×seq×1×8", "h": "f32 batch×1×8"}},
		{name: "the size of the state comes from the weights", model: `
			opset 7
			input x f32[seq,batch,10]
			init w f32[1,8,10] 0
			init r f32[1,8,8] 0
			_, h = RNN(x, w, r)
		`, want: map[string]string{"h": "f32 1×batch×8"}},
		{name: "version 1", model: `
			opset 1
			input x f32[seq,batch,10]
			init w f32[1,24,10] 0
			init r f32[1,24,8] 0
			y, h = GRU(x, w, r) hidden_size=8 output_sequence=1
		`, want: map[string]string{"y": "f32 seq×1×batch×8", "h": "f32 1×batch×8"}},
		{name: "nothing known of the sequence", model: `
			input x f32
			init w f32[1,32,10] 0
			init r f32[1,32,8] 0
			y = LSTM(x, w, r) hidden_size=8
		`, want: map[string]string{"y": "f32 ?×1×?×8"}},
		{name: "weights of another layer", model: `
			input x f32[seq,batch,10]
			init w f32[1,24,10] 0
			init r f32[1,32,8] 0
			y = LSTM(x, w, r) hidden_size=8
		`, want: map[string]string{"y": "f32 seq×1×batch×8"}, problems: []string{`input "w" (f32 1×24×10) should be directions × gates*hidden × features, which is [1 32 10]: axis 1 is 24`}},
		{name: "a feature too many, and a state for another batch", model: `
			input x f32[seq,4,features]
			input h0 f32[1,3,8]
			init w f32[1,8,10] 0
			init r f32[1,8,8] 0
			y = RNN(x, w, r, , , h0) hidden_size=8
		`, problems: []string{`"h0"`}, demands: []string{"10 = features"}},
		{name: "attributes out of range", model: `
			input x f32[2,3]
			init w f32[1,24,10] 0
			init r f32[1,24,8] 0
			y = GRU(x, w, r) direction='upward' hidden_size=-8
		`, want: map[string]string{"y": "f32 ?×?×?×?"}, problems: []string{`direction is "upward"`, "hidden_size is -8", `"x" (f32 2×3)`}},
		{name: "no inputs", model: `y, h, s = LSTM()`, want: map[string]string{"y": "undefined ?×1×?×?"}},
	})
}
