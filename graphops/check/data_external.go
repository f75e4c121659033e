package check

import (
	"lathe/graphops"
)

var externalRules = []rule{
	{
		code: "external-missing", severity: Error,
		title: "a file of external data cannot be opened",
		hint:  "copy the file to the model's folder, under the name that the model has for it",
		about: `A tensor whose elements are in another file names that file by a path relative to the model's
folder. ONNX Runtime does not load a model in which a node reads a tensor whose file cannot be
opened.

The cause is a model that was copied or downloaded without its data file, or a data file that was
renamed. The model contains the file name, so the file must keep it. Copy the file to the model's
folder, or download the model again with all of its files. "lathe export --no-initializers" writes
the model without weights.`,
		model: externalFaults(graphops.FaultFile),
	},
	{
		code: "external-outside", severity: Error,
		title: "a file of external data lies outside the model's folder",
		hint:  "move the file to the model's folder, or allow its folder with --allow-external",
		about: `External data must be in the folder of the model or below it. A path to another folder (an absolute
path, a path with "..", or a symbolic link) would let a model from an untrusted source read other
files of this machine. ONNX Runtime and the onnx package therefore reject it. Lathe rejects it
unless --allow-external names the folder.

Move the file to the model's folder. "lathe export --allow-external FOLDER --external-data" writes
the model and its data to one folder.`,
		model: externalFaults(graphops.FaultOutside),
	},
	{
		code: "external-location", severity: Error,
		title: "the location of an external tensor's elements is missing or invalid",
		hint:  "write the model again with the tool that made it",
		about: `The entries of external_data are location, which is required, and offset, length and checksum, which
are optional. Offset and length are whole numbers in decimal digits. No key may occur twice. A
location is a relative path with slashes.

ONNX Runtime does not load a model in which a node reads a tensor without a location, or with an
offset or length that is not a number. Such a model was written by hand or by a faulty tool: write
it again with a working tool.`,
		model: externalFaults(graphops.FaultEntries),
	},
	{
		code: "external-range", severity: Error,
		title: "a file of external data is too short for the elements of a tensor",
		hint:  "download the data file again, in the version that belongs to the model",
		about: `Offset and length must be within the data file, and the length must be the number of bytes that the
type and shape of the tensor need. ONNX Runtime does not load a model if an output depends on a
tensor that violates this.

In most cases the file is incomplete: a download or copy was interrupted, the file is only a Git LFS
pointer, or it belongs to another version of the model. Download it again.`,
		model: externalFaults(graphops.FaultRange),
	},
	{
		code: "external-refused", severity: Error,
		title: "ONNX Runtime rejects the way in which external data is stored",
		hint:  "write the data again in the form that all versions accept",
		about: `Versions of ONNX Runtime differ in the external data that they accept. Some reject keys that the
standard does not define, absolute paths, links to other folders, or tensors without elements that
have an offset or an empty file. The check knows from tests what the selected version rejects. Other
readers, including Lathe, can read the data. If no node reads the tensor, the problem is a Warning.

"lathe export --external-data" writes the data again to one file, in the form that all versions
accept.`,
		model: externalWarnings(graphops.ExternalRefused),
	},
	{
		code: "external-operand", severity: Error,
		title: "a constant that ONNX Runtime needs while it loads the model is in another file",
		hint:  "store it in the model file",
		about: `Shape inference reads some constants: the shape of a Reshape, the axes of a ReduceSum, the pads of a
Pad, the condition of an If. ONNX Runtime infers shapes before it opens files of external data, so
it does not load a model in which such a constant is external.

The cause is a tool that saved external data with a threshold of 0 bytes. The usual threshold of
1024 bytes leaves shapes in the model file. "lathe export" stores everything smaller in the model
file again.`,
		model: externalOperands,
	},
	{
		code: "external-overlap", severity: Warning,
		title: "tensors share some of their bytes in a data file",
		hint:  "store the bytes of each tensor separately, and check whether the offsets were right",
		about: `Tensors that share all of their bytes are one weight under two names, which saves space. If tensors
share only some bytes, an offset or length is most likely wrong: the file was written by hand, or
two processes appended to it at the same time. Every reader accepts the model, but the weights may
be wrong. "lathe export --external-data" stores the bytes of each tensor separately, with the values
that they have now.`,
		model: externalWarnings(graphops.ExternalOverlap),
	},
	{
		code: "external-hard-link", severity: Warning,
		title: "a file of external data has a second name (hard link)",
		hint:  "copy the file, or write the data again",
		about: `A hard link is a second name for the same file. If a program writes to the file under one name, its
content changes under the other name too, and so does this model. From version 1.21 on, the onnx
package rejects such a model, because it cannot know to whom the file belongs. ONNX Runtime accepts
it. Lathe accepts it if all names are in one folder, or if --allow-external names the folder. Package
managers create hard links to save space. Copy the file, or write the model again with "lathe export
--external-data".`,
		model: externalWarnings(graphops.ExternalHardLink),
	},
	{
		code: "external-own-file", severity: Warning,
		title: "a tensor's external data is in the model file itself",
		hint:  "write the model again",
		about: `A tensor that names the model's own file as its data file breaks when any tool copies, renames or
saves the model, because the bytes are then at another position or in a file of another name. "lathe
export" writes a model that does not depend on its own file name.`,
		model: externalWarnings(graphops.ExternalOwnFile),
	},
	{
		code: "external-misaligned", severity: Info,
		title: "external tensors start at offsets that cannot be mapped into memory",
		hint:  "write the data again with aligned offsets",
		about: `The standard recommends offsets that are multiples of 4096 bytes (65536 for Windows), so that a
reader can map the file into memory instead of copying it. This check requires page alignment only
of large tensors. The offset of a smaller tensor should be a multiple of its element size, so that
the elements can be used without a copy. ONNX Runtime accepts any offset, but may have to copy
unaligned tensors. "lathe export --external-data" aligns both kinds.`,
		model: misaligned,
	},
	{
		code: "external-case", severity: Warning,
		title: "the names of two data files differ only in upper and lower case",
		hint:  "write the data into one file",
		about: `On Windows and macOS such names refer to the same file, so the model reads the wrong data there.
"lathe export --external-data" writes the data into one file.`,
		model: locationsByCase,
	},
}
