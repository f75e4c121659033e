//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"lathe/session/ort/wire"
)

// placementKey is the session config entry that makes the partitioner record the provider of each
// node.
const placementKey = "session.record_ep_graph_assignment_info"

// maxNodes is the largest number of nodes, or of lines of the log, in one message. With names of 100 bytes, such a message
// has half a megabyte.
const maxNodes = 4096

// placementJob returns the job that sends the provider of each node as the partitioner recorded it.
// The partitioner runs before providers fuse nodes, so the nodes have the names of the model.
func (s *server) placementJob(id uint64, placement *wire.Placement) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		return s.withSession(ctx, placement.Session, func(target *session) error {
			if !target.placement {
				return errors.New("the session was loaded without recording which provider runs each node")
			}
			for lines := range slices.Chunk(target.log, maxNodes) {
				if err := s.out.Send(&wire.Reply{ID: id, Nodes: &wire.Nodes{Log: lines}}, nil); err != nil {
					return err
				}
			}
			return target.eachPlaced(func(n *wire.Nodes) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return s.out.Send(&wire.Reply{ID: id, Nodes: n}, nil)
			})
		})
	}}
}

func (s *session) eachPlaced(send func(*wire.Nodes) error) error {
	var parts **C.OrtEpAssignedSubgraph
	var count C.size_t
	if err := check(C.ort_Session_GetEpGraphAssignmentInfo(s.handle, &parts, &count)); err != nil {
		return err
	}
	for _, part := range unsafe.Slice(parts, count) {
		if err := eachNode(part, send); err != nil {
			return err
		}
	}
	return nil
}

func eachNode(part *C.OrtEpAssignedSubgraph, send func(*wire.Nodes) error) error {
	var provider *C.char
	if err := check(C.ort_EpAssignedSubgraph_GetEpName(part, &provider)); err != nil {
		return err
	}
	var nodes **C.OrtEpAssignedNode
	var count C.size_t
	if err := check(C.ort_EpAssignedSubgraph_GetNodes(part, &nodes, &count)); err != nil {
		return err
	}
	list := unsafe.Slice(nodes, count)
	for len(list) > 0 {
		n := min(len(list), maxNodes)
		out := &wire.Nodes{Provider: C.GoString(provider)}
		for _, node := range list[:n] {
			described, err := nodeOf(node)
			if err != nil {
				return err
			}
			out.Nodes = append(out.Nodes, described)
		}
		if err := send(out); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func nodeOf(node *C.OrtEpAssignedNode) (out wire.Node, err error) {
	var name, op, domain *C.char
	if err := check(C.ort_EpAssignedNode_GetName(node, &name)); err != nil {
		return out, err
	}
	if err := check(C.ort_EpAssignedNode_GetOperatorType(node, &op)); err != nil {
		return out, err
	}
	if err := check(C.ort_EpAssignedNode_GetDomain(node, &domain)); err != nil {
		return out, err
	}
	return wire.Node{Name: C.GoString(name), Op: C.GoString(op), Domain: C.GoString(domain)}, nil
}
