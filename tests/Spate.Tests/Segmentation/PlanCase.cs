using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

/// <summary>A random batch: its datagrams as they are added to a plan.</summary>
internal sealed class PlanCase(UdpEndPoint[] peers)
{
    /// <summary>The index that stands for the default peer.</summary>
    public const int DefaultPeer = -1;

    private readonly int[] _endBytes = new int[4];
    private readonly List<int> _reservedBytes = [];

    /// <summary>Only told apart, never read or written.</summary>
    public static byte[][] Buffers { get; } = [new byte[1], new byte[1], new byte[1], new byte[1]];

    public List<PlannedDatagram> Datagrams { get; } = [];

    public GsoLimits Limits { get; init; } = GsoLimits.Default;

    public static PlanCase Random(Random random, UdpEndPoint[] peers)
    {
        var made = new PlanCase(peers) { Limits = RandomLimits(random) };
        int datagramCount = random.Next(20) == 0 ? random.Next(400) : random.Next(50);
        int peerCount = random.Next(1, PlanPeers.Count + 1);
        int stayPercent = random.Next(101);
        int defaultPercent = random.Next(4) == 0 ? random.Next(101) : 0;
        int usualBytes = RandomBytes(random);
        int usualPercent = random.Next(101);
        int foreignPercent = random.Next(4) == 0 ? random.Next(101) : 0;
        int gapPercent = random.Next(3) == 0 ? random.Next(101) : 0;
        int controlPercent = random.Next(3) == 0 ? random.Next(50) : 0;
        int trimPercent = random.Next(3) == 0 ? random.Next(101) : 0;
        int peerIndex = 0;
        int controlIndex = SendRun.NoControl;
        for (int i = 0; i < datagramCount; i++)
        {
            peerIndex = random.Next(100) < stayPercent ? peerIndex : random.Next(peerCount);
            if (random.Next(100) < defaultPercent) peerIndex = DefaultPeer;
            controlIndex = random.Next(100) < controlPercent ? random.Next(-1, 2) : controlIndex;
            int bufferIndex = random.Next(100) < foreignPercent ? random.Next(1, 4) : 0;
            int gapBytes = random.Next(100) < gapPercent ? random.Next(100) : 0;
            int lengthBytes = random.Next(100) < usualPercent ? usualBytes : RandomBytes(random);
            int trimmedBytes = random.Next(100) < trimPercent ? random.Next(2000) : 0;
            made.Add(peerIndex, controlIndex, bufferIndex, gapBytes, lengthBytes, trimmedBytes);
        }

        return made;
    }

    /// <summary>Adds a datagram behind the last one in its buffer, or some bytes further on.</summary>
    /// <param name="peerIndex">The index of one of the peers, or <see cref="DefaultPeer"/>.</param>
    /// <param name="controlIndex">Its control.</param>
    /// <param name="bufferIndex">0 to 3.</param>
    /// <param name="gapBytes">The bytes left out before it.</param>
    /// <param name="lengthBytes">Its size.</param>
    /// <param name="trimmedBytes">By how much it is longer when it is added; then it is trimmed.</param>
    public void Add(
        int peerIndex, int controlIndex, int bufferIndex, int gapBytes, int lengthBytes, int trimmedBytes = 0)
    {
        UdpEndPoint peer = peerIndex == DefaultPeer ? default : peers[peerIndex];
        int offsetBytes = _endBytes[bufferIndex] + gapBytes;
        _endBytes[bufferIndex] = offsetBytes + lengthBytes;
        Datagrams.Add(new(peer, controlIndex, bufferIndex, offsetBytes, lengthBytes));
        _reservedBytes.Add(lengthBytes + trimmedBytes);
    }

    /// <summary>Adds the datagrams from one index up to another to a plan.</summary>
    public void AddTo(SendPlan plan, int first, int end)
    {
        for (int i = first; i < end; i++)
        {
            PlannedDatagram datagram = Datagrams[i];
            byte[] buffer = Buffers[datagram.BufferIndex];
            plan.Add(datagram.Peer, datagram.ControlIndex, buffer, datagram.OffsetBytes, _reservedBytes[i]);
            if (_reservedBytes[i] > datagram.LengthBytes) plan.Open.Trim(datagram.LengthBytes);
        }
    }

    private static int RandomBytes(Random random) => random.Next(10) switch
    {
        0 => 0,
        < 6 => random.Next(1, 200),
        < 9 => random.Next(1, 1500),
        _ => random.Next(65_508),
    };

    private static GsoLimits RandomLimits(Random random) => random.Next(4) == 0
        ? GsoLimits.Default
        : new(
            random.Next(4) == 0 ? 1 : random.Next(1, 130),
            random.Next(2) == 0 ? 65_000 : random.Next(1, 65_508),
            random.Next(2) == 0 ? 64 : random.Next(1, 8));
}
