package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// runPlugin hands the request to protoc-gen-go and returns the source of each
// generated file by its base name.
func runPlugin(ctx context.Context, req *pluginpb.CodeGeneratorRequest) (map[string]string, error) {
	in, err := proto.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("request to protoc-gen-go: %w", err)
	}
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "tool", "protoc-gen-go")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errOut
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go tool protoc-gen-go: %w: %s", err, strings.TrimSpace(errOut.String()))
	}
	var resp pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out.Bytes(), &resp); err != nil {
		return nil, fmt.Errorf("answer of protoc-gen-go: %w", err)
	}
	if resp.Error != nil {
		return nil, errors.New(resp.GetError())
	}
	sources := make(map[string]string, len(resp.File))
	for _, file := range resp.File {
		sources[path.Base(file.GetName())] = file.GetContent()
	}
	return sources, nil
}
