// Package install installs an ONNX Runtime from within the workbench, as "lathe runtime install" does.
package install
