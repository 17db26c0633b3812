using System.Net;
using Spate.Trains;

namespace Spate.Tests.Trains;

/// <summary>A random batch: its datagrams as they were added, and the runs that come of them.</summary>
internal sealed class PlanCase
{
    private static readonly UdpEndPoint[] _peers =
        [.. Enumerable.Range(1, 40).Select(port => new UdpEndPoint(IPAddress.Loopback, port))];

    private readonly int[] _endBytes = new int[4];
    private readonly List<SendRun> _runs = [];

    public List<PlannedDatagram> Datagrams { get; } = [];

    public ReadOnlySpan<SendRun> Runs => System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_runs);

    public TrainLimits Limits { get; init; } = TrainLimits.Default;

    public static UdpEndPoint Peer(int index) => _peers[index % _peers.Length];

    public static PlanCase Random(Random random)
    {
        var made = new PlanCase { Limits = RandomLimits(random) };
        int datagramCount = random.Next(20) == 0 ? random.Next(400) : random.Next(50);
        int peerCount = random.Next(1, 41);
        int stayPercent = random.Next(101);
        int usualBytes = RandomBytes(random);
        int usualPercent = random.Next(101);
        int foreignPercent = random.Next(4) == 0 ? random.Next(101) : 0;
        int gapPercent = random.Next(3) == 0 ? random.Next(101) : 0;
        int controlPercent = random.Next(3) == 0 ? random.Next(50) : 0;
        int peerIndex = 0;
        int controlIndex = SendRun.NoControl;
        for (int i = 0; i < datagramCount; i++)
        {
            peerIndex = random.Next(100) < stayPercent ? peerIndex : random.Next(peerCount);
            controlIndex = random.Next(100) < controlPercent ? random.Next(-1, 2) : controlIndex;
            int bufferIndex = random.Next(100) < foreignPercent ? random.Next(1, 4) : SendRun.OwnBuffer;
            int gapBytes = random.Next(100) < gapPercent ? random.Next(100) : 0;
            int lengthBytes = random.Next(100) < usualPercent ? usualBytes : RandomBytes(random);
            made.Add(peerIndex, controlIndex, bufferIndex, gapBytes, lengthBytes, random.Next(2) == 0);
        }

        return made;
    }

    /// <summary>Adds a datagram behind the last one in its buffer, or some bytes further on.</summary>
    /// <param name="peerIndex">One of 40 peers.</param>
    /// <param name="controlIndex">Its control.</param>
    /// <param name="bufferIndex">0 to 3.</param>
    /// <param name="gapBytes">The bytes left out before it.</param>
    /// <param name="lengthBytes">Its size.</param>
    /// <param name="isTrimmed">An empty one stays at the end of its run, as if it had been trimmed to nothing.</param>
    public void Add(
        int peerIndex, int controlIndex, int bufferIndex, int gapBytes, int lengthBytes, bool isTrimmed = false)
    {
        UdpEndPoint peer = Peer(peerIndex);
        int offsetBytes = _endBytes[bufferIndex] + gapBytes;
        _endBytes[bufferIndex] = offsetBytes + lengthBytes;
        Datagrams.Add(new(peer, controlIndex, bufferIndex, offsetBytes, lengthBytes));
        if (_runs.Count > 0)
        {
            ref SendRun last = ref System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_runs)[^1];
            if (lengthBytes == 0 && isTrimmed && last.TryExtend(in peer, controlIndex, bufferIndex, offsetBytes, 1))
            {
                last.LastBytes = 0;
                return;
            }

            if (last.TryExtend(in peer, controlIndex, bufferIndex, offsetBytes, lengthBytes))
            {
                return;
            }
        }

        _runs.Add(new SendRun(in peer, controlIndex, bufferIndex, offsetBytes, lengthBytes));
    }

    private static int RandomBytes(Random random) => random.Next(10) switch
    {
        0 => 0,
        < 6 => random.Next(1, 200),
        < 9 => random.Next(1, 1500),
        _ => random.Next(65_508),
    };

    private static TrainLimits RandomLimits(Random random) => random.Next(4) == 0
        ? TrainLimits.Default
        : new(
            random.Next(4) == 0 ? 1 : random.Next(1, 130),
            random.Next(2) == 0 ? 65_000 : random.Next(1, 65_508),
            random.Next(2) == 0 ? 64 : random.Next(1, 8));
}
