package check

import (
	"lathe/graphops"
)

var externalRules = []rule{
	{
		code: "external-missing", severity: Error,
		title: "a file of external data cannot be opened",
		hint:  "copy the file beside the model, by the name that stands in the model",
		about: `A tensor whose elements lie in another file names it by a path relative to the model's folder. ONNX Runtime refuses to load a
model in which a node reads a tensor whose file it cannot open.

It comes from a model that was copied or downloaded without its data, or whose data file was renamed: the name stands in the model and
must not change. Copy the file beside the model, or fetch the model with all of its files. "lathe export --no-initializers" writes the
model without weights.`,
		model: externalFaults(graphops.FaultFile),
	},
	{
		code: "external-outside", severity: Error,
		title: "a file of external data lies outside the model's folder",
		hint:  "move the file beside the model, or allow its folder with --allow-external",
		about: `External data must lie in the folder of the model or below it. A path that leads out of it, whether it is absolute, has "..",
or goes through a symbolic link, is how a foreign model would read other files of this machine: ONNX Runtime and the onnx package refuse
it, and Lathe does so until the folder is named with --allow-external.

Move the file beside the model. "lathe export --allow-external FOLDER --external-data" writes the model with its data in one place.`,
		model: externalFaults(graphops.FaultOutside),
	},
	{
		code: "external-location", severity: Error,
		title: "where the elements of an external tensor lie is not told, or makes no sense",
		hint:  "write the model anew from where it came from",
		about: `The entries of external_data are location, which is required, and offset, length and checksum, which are not. Offset and length
are whole numbers in decimal digits; no key may stand twice; a location is a relative path with slashes.

ONNX Runtime refuses to load a model in which a node reads a tensor without a location or with a number that is none. The model was written by hand or by a broken tool: write it anew from where it came from.`,
		model: externalFaults(graphops.FaultEntries),
	},
	{
		code: "external-range", severity: Error,
		title: "a file of external data ends before the elements of a tensor do",
		hint:  "fetch the data file again, in the version that belongs to the model",
		about: `Offset and length must lie within the data file, and the length must be what type and shape of the tensor need. ONNX Runtime
refuses to load a model where an output depends on a tensor for which that is not so.

Mostly the file was cut short: a download or copy that was interrupted, a pointer of Git LFS in the place of the file, or a file of
another version of the model. Fetch it again.`,
		model: externalFaults(graphops.FaultRange),
	},
	{
		code: "external-refused", severity: Error,
		title: "ONNX Runtime does not take external data as it is stored",
		hint:  "write the data anew in the form that all versions take",
		about: `Versions of ONNX Runtime differ in what external data they take: keys that the standard does not define, absolute paths, links
out of the folder, tensors without elements at an offset or in an empty file. What is told here was seen with the version in question;
other readers, Lathe among them, can read the data. Where no node reads such a tensor, it is a Warning.

"lathe export --external-data" writes the data anew, in one file and in the form that all versions take.`,
		model: externalWarnings(graphops.ExternalRefused),
	},
	{
		code: "external-operand", severity: Error,
		title: "a constant that is needed while the model is loaded lies in another file",
		hint:  "take it back into the model file",
		about: `Shape inference reads some constants: the shape of a Reshape, the axes of a ReduceSum, the pads of a Pad, the condition of an
If. ONNX Runtime infers shapes before it opens files of external data, and so refuses a model where such a constant is external.

It comes from saving external data with a threshold of 0 bytes. The default thresholds, of 1024 bytes, leave shapes in the model;
"lathe export" takes everything smaller back into the model file.`,
		model: externalOperands,
	},
	{
		code: "external-overlap", severity: Warning,
		title: "tensors share a part of their bytes in a data file",
		hint:  "give each tensor its own bytes, and see whether the offsets were right",
		about: `Tensors that share all of their bytes are one weight under two names, which saves space. Tensors that share a part have wrong
offsets or lengths, most likely: the file was written by hand, or appended to while another process did the same. Every reader takes the
model, and the weights may be wrong. "lathe export --external-data" makes each tensor have its own bytes, and keeps their values.`,
		model: externalWarnings(graphops.ExternalOverlap),
	},
	{
		code: "external-hard-link", severity: Warning,
		title: "a file of external data has another name",
		hint:  "copy the file, or write the data anew",
		about: `A hard link is a second name of the same file. What is written to the one changes the other, and with it this model. The onnx
package refuses to load such a model since version 1.21, because it cannot tell whose file it is; ONNX Runtime takes it. Package
managers that save space make hard links. Copy the file, or write the model anew with "lathe export --external-data".`,
		model: externalWarnings(graphops.ExternalHardLink),
	},
	{
		code: "external-own-file", severity: Warning,
		title: "external data lies in the model file itself",
		hint:  "write the model anew",
		about: `A tensor that names the model's own file as its data breaks as soon as the model is copied, renamed or saved by any tool: the
bytes are no longer where they were. "lathe export" writes a model that stands alone.`,
		model: externalWarnings(graphops.ExternalOwnFile),
	},
	{
		code: "external-misaligned", severity: Info,
		title: "external tensors do not begin where a reader could map them",
		hint:  "write the data anew, where readers map it into memory",
		about: `The standard recommends offsets that are multiples of 4096 bytes (65536 for Windows), so that a reader can map the file into
memory instead of reading it. That is asked of large tensors here, and of smaller ones that they begin at a multiple of the size of
their elements, so that they can be used where they lie. ONNX Runtime takes any offset; it may copy what others map.
"lathe export --external-data" aligns both.`,
		model: misaligned,
	},
	{
		code: "external-case", severity: Warning,
		title: "two data files have names that differ in capital letters alone",
		hint:  "write the data into one file",
		about: `On Windows and macOS such names mean the same file, and the model finds the wrong data there. "lathe export --external-data"
writes the data into one file.`,
		model: locationsByCase,
	},
}
