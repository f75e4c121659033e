"""Makes the files of broken/: one per kind of fault, each as small as the fault allows.

Packages: onnx, onnxruntime, numpy.
Takes about one second.
"""

import broken_files
import broken_models
import hostile_names
import modelfile

KINDS = (
    broken_files.other_formats,
    broken_files.wrong_bytes,
    broken_models.wrong_graphs,
    broken_models.wrong_tensors,
    broken_models.wrong_references,
    hostile_names.unpleasant,
)


def main():
    folder = modelfile.output_folder(__doc__) / "broken"
    for kind in KINDS:
        for name, content in kind():
            if not isinstance(content, bytes):
                content = content.SerializeToString(deterministic=True)
            modelfile.write(folder / name, content)


if __name__ == "__main__":
    main()
