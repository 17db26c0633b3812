using System.Text;

namespace Spate.TestHelpers.Commands;

/// <summary>A stream of a command in this process: one thread writes it, and another waits for its lines.</summary>
internal sealed class ToolText : TextWriter
{
    private readonly Lock _lock = new();
    private readonly StringBuilder _text = new();
    private TaskCompletionSource _changed = NewChange();
    private int _readCharacters;
    private bool _hasEnded;

    public override Encoding Encoding => Encoding.UTF8;

    public override void Write(char value) => Add([value]);

    public override void Write(string? value) => Add(value);

    public override void Write(char[] buffer, int index, int count) => Add(buffer.AsSpan(index, count));

    public override void Write(ReadOnlySpan<char> buffer) => Add(buffer);

    /// <summary>Marks that nothing more will come.</summary>
    public void End()
    {
        lock (_lock)
        {
            _hasEnded = true;
            _changed.TrySetResult();
        }
    }

    /// <summary>The next line, as soon as it is complete; null after the last.</summary>
    public async Task<string?> ReadLineAsync()
    {
        while (true)
        {
            Task changed;
            lock (_lock)
            {
                string rest = _text.ToString(_readCharacters, _text.Length - _readCharacters);
                int length = rest.IndexOf('\n', StringComparison.Ordinal);
                if (length >= 0) return Take(rest[..length], length + 1);
                if (_hasEnded) return rest.Length == 0 ? null : Take(rest, rest.Length);

                if (_changed.Task.IsCompleted) _changed = NewChange();
                changed = _changed.Task;
            }

            await changed;
        }
    }

    /// <summary>Text that was written and not yet read.</summary>
    public string ReadToEnd()
    {
        lock (_lock)
        {
            string rest = _text.ToString(_readCharacters, _text.Length - _readCharacters);
            return Take(rest, rest.Length);
        }
    }

    private static TaskCompletionSource NewChange() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private string Take(string text, int characters)
    {
        _readCharacters += characters;
        return text;
    }

    private void Add(ReadOnlySpan<char> text)
    {
        lock (_lock)
        {
            _text.Append(text);
            _changed.TrySetResult();
        }
    }
}
