"""A Bazel rule that compiles bitcode to a code object.

`darm` is the package's binary: an executable target of the workspace, made with rules_js.
"""

def _darm_code_object_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".hsaco")
    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    # Workers get the lines of the file as they are.
    args.set_param_file_format("multiline")
    args.add("compile")
    args.add(ctx.file.src)
    args.add("-o", out)
    args.add_all(ctx.attr.options)
    ctx.actions.run(
        outputs = [out],
        inputs = [ctx.file.src],
        executable = ctx.executable.darm,
        arguments = [args],
        mnemonic = "Darm",
        progress_message = "Compiling %{input}",
        # The result does not depend on the environment, the clock or the network.
        use_default_shell_env = False,
        execution_requirements = {
            "block-network": "1",
            # One process for many actions: docs/fleet.md. It is used with --strategy=Darm=worker.
            "supports-workers": "1",
            "supports-multiplex-workers": "1",
            "requires-worker-protocol": "json",
        },
    )
    return [DefaultInfo(files = depset([out]))]

darm_code_object = rule(
    implementation = _darm_code_object_impl,
    attrs = {
        "src": attr.label(allow_single_file = [".bc", ".ll"], mandatory = True),
        "options": attr.string_list(doc = "As on the command line, e.g. [\"--mcpu\", \"gfx906\"]."),
        "darm": attr.label(executable = True, cfg = "exec", mandatory = True),
    },
)
