using System.CommandLine;
using System.Text;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Measurement.PathTest;

namespace Spate.Cli.Test;

/// <summary><c>--key-file</c>, and the environment variable that stands in for it.</summary>
internal sealed class TestKeyOption
{
    private const string VariableName = "SPATE_TEST_KEY";

    private readonly Option<string?> _file = OptionText.Create(
        "--key-file", "FILE", "A key that both ends must have, so that strangers cannot run tests: at least "
            + $"{TestKey.MinBytes} bytes; a line end does not count. Without the option, {VariableName} is the key. "
            + "Nothing is encrypted.");

    public void AddTo(Command command) => command.Add(_file);

    public TestKey? Read(ParseResult parsed)
    {
        (string source, byte[]? secret) = parsed.GetValue(_file) is { } path
            ? ($"--key-file {path}", ReadFile(path))
            : (VariableName, ReadVariable());
        if (secret is null) return null;

        ReadOnlySpan<byte> key = secret.AsSpan().TrimEnd("\r\n"u8);
        return key.Length is >= TestKey.MinBytes and <= TestKey.MaxBytes
            ? new TestKey(key)
            : throw CommandException.WrongUse(
                $"{source} holds a key of {key.Length} bytes: expected {TestKey.MinBytes} to {TestKey.MaxBytes}");
    }

    private static byte[]? ReadVariable() =>
        Environment.GetEnvironmentVariable(VariableName) is { Length: > 0 } text ? Encoding.UTF8.GetBytes(text) : null;

    // One byte more than a key and its line end may have tells a file that is too long, a device for instance.
    private static byte[] ReadFile(string path)
    {
        try
        {
            using FileStream file = File.OpenRead(path);
            byte[] bytes = new byte[TestKey.MaxBytes + 3];
            int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            return bytes[..length];
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw CommandException.Refused(
                $"--key-file {path} cannot be read: {fault.Message.TrimEnd('.')}", DocsAnchor.None, fault);
        }
    }
}
