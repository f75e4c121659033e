package torch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session/torch"
)

// trainable compares a model for training on a device with the PyTorch model: every parameter must
// be an initializer of the same name with the same elements, and the graph must have the forward
// pass only. It returns all that is wrong, or "".
func trainable(ctx context.Context, b *torch.Bridge, m *graphops.Model) (string, error) {
	state, err := b.State(ctx)
	if err != nil {
		return "", err
	}
	stored := map[string]*graphops.Tensor{}
	for _, t := range m.Graph().Initializers() {
		stored[t.Name()] = t
	}
	var wrong []string
	for _, p := range state {
		t := stored[p.Name]
		if t == nil && p.Buffer {
			continue // a forward pass does not need it, such as the number of batches that a normalization has seen
		}
		if t == nil {
			wrong = append(wrong, fmt.Sprintf("parameter %q is not an initializer", p.Name))
			continue
		}
		digest, err := sumOf(ctx, t)
		if err != nil {
			return "", err
		}
		if digest != p.SHA256 || t.DType().String() != p.Type {
			wrong = append(wrong, fmt.Sprintf("initializer %q has other elements than the PyTorch model", p.Name))
		}
	}
	for n := range m.AllNodes() {
		if op := n.OpType(); strings.HasSuffix(op, "Loss") || strings.HasSuffix(op, "Grad") {
			wrong = append(wrong, fmt.Sprintf("node %q is a %s, and training adds losses and gradients itself", n.Name(), op))
		}
	}
	return strings.Join(wrong, "; "), nil
}

// sumOf returns the digest of a tensor's elements.
func sumOf(ctx context.Context, t *graphops.Tensor) (string, error) {
	data, err := t.Data()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := data.WriteTo(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), ctx.Err()
}
