package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// request compiles the files and makes of them what protoc would send to its
// plugin protoc-gen-go.
func request(ctx context.Context, pkg string, protoFiles []string) (*pluginpb.CodeGeneratorRequest, error) {
	onDisk := map[string]string{} // registered name → file
	req := &pluginpb.CodeGeneratorRequest{}
	parameter := "paths=source_relative"
	for _, file := range protoFiles {
		name := path.Join(pkg, filepath.Base(file))
		onDisk[name] = file
		req.FileToGenerate = append(req.FileToGenerate, name)
		parameter += fmt.Sprintf(",M%s=%s", name, pkg)
	}
	req.Parameter = proto.String(parameter)

	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: accessor(onDisk)}),
		SourceInfoMode: protocompile.SourceInfoStandard, // carries the comments
	}
	files, err := compiler.Compile(ctx, req.FileToGenerate...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, file := range files {
		req.ProtoFile = appendFile(req.ProtoFile, seen, file)
	}
	return req, nil
}

func accessor(onDisk map[string]string) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		file, ok := onDisk[name]
		if !ok {
			return nil, fmt.Errorf("import %q: not among the files given: %w", name, os.ErrNotExist)
		}
		return os.Open(file)
	}
}

// appendFile adds a file after the files that it imports, each once, the order
// that plugins rely on. The compiler has refused import cycles already.
func appendFile(list []*descriptorpb.FileDescriptorProto, seen map[string]bool, file protoreflect.FileDescriptor) []*descriptorpb.FileDescriptorProto {
	if seen[file.Path()] {
		return list
	}
	seen[file.Path()] = true
	imports := file.Imports()
	for i := range imports.Len() {
		list = appendFile(list, seen, imports.Get(i).FileDescriptor)
	}
	return append(list, protoutil.ProtoFromFileDescriptor(file))
}
