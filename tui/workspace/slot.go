package workspace

// Slot names something that one part of the workbench keeps in the workspace, such as its last
// result. The part alone knows the slot and the type of its content.
type Slot[T any] struct {
	_ byte // two slots have different addresses
}

// In returns the content of the slot in a workspace, which is zero at first.
func (s *Slot[T]) In(ws *Workspace) *T {
	if p, ok := ws.slots[s]; ok {
		return p.(*T)
	}
	p := new(T)
	ws.slots[s] = p
	return p
}
