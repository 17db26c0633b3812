using System.Buffers.Binary;
using System.Text;

namespace Spate.TestHelpers.Hosts;

/// <summary>Records what a driver answers to ethtool(8), as a little-endian kernel writes it.</summary>
/// <param name="host">Where the answers go.</param>
/// <param name="name">The interface.</param>
internal sealed class RecordedCard(FakeHost host, string name)
{
    private const int StringBytes = 32;
    private const int StatisticsSet = 1;
    private const int FeatureSet = 4;

    public RecordedCard Rings(uint maxRx, uint maxTx, uint rx, uint tx) =>
        With("10", 0x10, maxRx, 0, 0, maxTx, rx, 0, 0, tx);

    public RecordedCard Queues(uint maxCombined, uint combined, uint maxRx = 0, uint rx = 0) =>
        With("3c", 0x3c, maxRx, 0, 0, maxCombined, rx, 0, 0, combined);

    public RecordedCard Coalesce(bool isAdaptive, uint microseconds)
    {
        uint adaptive = Bit(isAdaptive);
        uint[] head = [0xe, microseconds, 0, 0, 0, microseconds, 0, 0, 0, 0];
        return With("e", [.. head, adaptive, adaptive, .. new uint[11]]);
    }

    public RecordedCard Pause(bool rx, bool tx) => With("12", 0x12, 0, Bit(rx), Bit(tx));

    /// <summary>What the queue of a UDP datagram is chosen by: over IPv4 (2) or IPv6 (6).</summary>
    public RecordedCard FlowHash(uint flow, uint bits) => With($"29-{flow}", [0x29, flow, bits, .. new uint[45]]);

    /// <summary>The speed in Mbit/s, the duplex (0 half, 1 full), and the link modes that the card supports.</summary>
    public RecordedCard Link(uint megabits, byte duplex, params int[] modes)
    {
        const int HeadBytes = 48;
        const int Words = 4;
        byte[] answer = new byte[HeadBytes + (3 * Words * sizeof(uint))];
        BinaryPrimitives.WriteUInt32LittleEndian(answer, 0x4c);
        BinaryPrimitives.WriteUInt32LittleEndian(answer.AsSpan(4), megabits);
        answer[8] = duplex;
        answer[15] = Words;
        foreach (int mode in modes) answer[HeadBytes + (mode / 8)] |= (byte)(1 << (mode % 8));
        return With("4c", answer);
    }

    /// <summary>
    /// Features: one with a minus is off, others are on. An exclamation mark makes one fixed, a question mark one that
    /// somebody asked for.
    /// </summary>
    public RecordedCard Features(params string[] features)
    {
        string[] names = [.. features.Select(static one => one.Trim('-', '!', '?'))];
        int blocks = (features.Length + 31) / 32;
        uint[] words = new uint[2 + (4 * blocks)];
        (words[0], words[1]) = (0x3a, (uint)blocks);
        for (int i = 0; i < features.Length; i++)
        {
            int block = 2 + (4 * (i / 32));
            uint bit = 1u << (i % 32);
            if (!features[i].Contains('!')) words[block] |= bit;
            if (features[i].EndsWith('?')) words[block + 1] |= bit;
            if (!features[i].StartsWith('-')) words[block + 2] |= bit;
            if (features[i].Contains('!')) words[block + 3] |= bit;
        }

        return Strings(FeatureSet, names).With("3a", words);
    }

    public RecordedCard Statistics(params (string Name, ulong Value)[] counters)
    {
        Strings(StatisticsSet, [.. counters.Select(static one => one.Name)]);
        byte[] head = [.. BitConverter.GetBytes(0x1d), .. BitConverter.GetBytes(counters.Length)];
        return With("1d", [.. head, .. counters.SelectMany(static one => BitConverter.GetBytes(one.Value))]);
    }

    /// <summary>An answer of any content.</summary>
    public RecordedCard With(string key, byte[] answer)
    {
        host.With($"ethtool/{name}/{key}", answer);
        return this;
    }

    private static uint Bit(bool isOn) => isOn ? 1u : 0u;

    private RecordedCard With(string key, params uint[] words) =>
        With(key, [.. words.SelectMany(BitConverter.GetBytes)]);

    private RecordedCard Strings(int set, string[] names)
    {
        var texts = new List<byte>();
        foreach (string one in names)
        {
            byte[] text = Encoding.Latin1.GetBytes(one);
            texts.AddRange([.. text, .. new byte[StringBytes - text.Length]]);
        }

        With($"37-{set}", [.. BitConverter.GetBytes(0x37), 0, 0, 0, 0, .. BitConverter.GetBytes(1UL << set),
            .. BitConverter.GetBytes(names.Length)]);
        return With($"1b-{set}", [.. BitConverter.GetBytes(0x1b), .. BitConverter.GetBytes(set),
            .. BitConverter.GetBytes(names.Length), .. texts]);
    }
}
