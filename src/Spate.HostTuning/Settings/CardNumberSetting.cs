using System.Globalization;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cards;

namespace Spate.HostTuning.Settings;

/// <summary>A number or a switch of a card, such as the length of its ring.</summary>
internal sealed record CardNumberSetting(string Interface, CardNumber Number) : HostSetting
{
    // Rings have some thousand buffers, queues some hundred; a microsecond is the unit of the rest.
    private const uint MaxValue = 1_000_000;

    public override string Name => $"{Number.Word} of {Interface}";

    public override string Identity => $"card {Interface} {Number.Word}";

    public override string CommandFor(string value) => $"ethtool {Number.Option} {Interface} {Number.Argument} {value}";

    public override string? Read(string rootPath)
    {
        using var replies = new CardReplies(rootPath);
        byte[] answer = new byte[Number.RequestBytes];
        if (!TryAsk(replies, answer)) return null;

        uint value = MemoryMarshal.Read<uint>(answer.AsSpan(Number.Index * sizeof(uint)));
        return Number.IsSwitch ? SwitchText.Of(value != 0) : value.ToString(CultureInfo.InvariantCulture);
    }

    public override void Write(string rootPath, string value)
    {
        uint number = Parse(value)
            ?? throw new IOException($"{Name} cannot be {value}: a value up to {MaxValue} is expected");
        using var replies = new CardReplies(rootPath);
        byte[] request = new byte[Number.RequestBytes];

        // The request sets all numbers of its kind: the others stay as they are.
        if (!TryAsk(replies, request)) throw new IOException($"{Interface} does not tell its {Number.Word}");

        MemoryMarshal.Write(request, Number.SetCommand);
        MemoryMarshal.Write(request.AsSpan(Number.Index * sizeof(uint)), number);
        replies.Tell(Interface, request, Key);
    }

    private string Key => Number.GetCommand.ToString("x", CultureInfo.InvariantCulture);

    private bool TryAsk(CardReplies replies, byte[] buffer)
    {
        MemoryMarshal.Write(buffer, Number.GetCommand);
        return replies.TryAsk(Interface, buffer, Key);
    }

    private uint? Parse(string value)
    {
        if (Number.IsSwitch) return SwitchText.Parse(value) is { } isOn ? (isOn ? 1u : 0u) : null;

        return uint.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out uint number)
            && number <= MaxValue
                ? number
                : null;
    }
}
