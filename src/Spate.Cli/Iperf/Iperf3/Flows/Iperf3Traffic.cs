using System.Runtime.InteropServices;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>The data of a test of iperf3's protocol at one of its ends.</summary>
internal sealed class Iperf3Traffic : SessionTraffic
{
    private const int BitsPerByte = 8;

    // asm-generic/socket.h; 64 bits since Linux 4.20. It does something where the way out has the fq discipline.
    private const int SolSocket = 1;
    private const int SoMaxPacingRate = 47;

    private readonly IReadOnlyList<StreamLink> _links;
    private readonly Iperf3Parameters _parameters;
    private readonly SendFlow[] _senders;
    private readonly Iperf3ReceiveFlow[] _receivers;

    /// <param name="isClient">Only a client ends a test by an amount, and knows alone when it has it.</param>
    /// <param name="links">In the order of their beginning. The sockets are owned from now on.</param>
    public Iperf3Traffic(
        Iperf3Parameters parameters,
        bool isClient,
        IReadOnlyList<StreamLink> links,
        Iperf3EndOptions settings,
        TimeProvider time)
        : base(
            [.. links.Select(static link => link.Socket)],
            settings,
            parameters.Bidirectional,
            settings.Interval,
            showsAllCores: false,
            time)
    {
        _parameters = parameters;
        _links = links;
        StreamLink[] senders = [.. links.Where(static link => link.Sends)];
        StreamLink[] receivers = [.. links.Where(static link => !link.Sends)];
        _receivers = [.. receivers.Select((link, i) => new Iperf3ReceiveFlow(
            i, link.Socket, (ulong)link.Id, parameters, time))];
        if (parameters.FqBitsPerSecond > 0) Array.ForEach(senders, link => SetPacingRate(link.Socket));
        _senders = senders.Length == 0 ? [] : AddSender(
            senders.Select(link => (
                link.Socket, (SendStream)new Iperf3SendStream(link.Socket.Peer, parameters, (ulong)link.Id))),
            OptionsOf(isClient, senders.Length));
        if (receivers.Length > 0) AddReceiver(_receivers, new AccountingOptions());
    }

    /// <summary>Datagrams that have arrived so far, by the exact account.</summary>
    public SequenceCounts Received => Receiver?.ReadTotals().Counts ?? default;

    public StreamCount[] Counts() => [.. _links.Select(link => new StreamCount(ReaderOf(link)))];

    /// <summary>The end of the test was told: what arrives from now on is in the exact account only.</summary>
    public void StopReference() => Array.ForEach(_receivers, static flow => flow.StopReference());

    public void ForgetJitter() => Array.ForEach(_receivers, static flow => flow.ForgetJitter());

    /// <summary>What the other end says that it sent in a stream that this end receives.</summary>
    public void Announce(int id, long datagrams)
    {
        int index = Array.FindIndex(_receivers, flow => flow.Id == (ulong)id);
        if (index >= 0) Receiver!.End(index, (ulong)id, datagrams);
    }

    public bool IsComplete() => Receiver is null || Received.Lost == 0;

    private void SetPacingRate(UdpSocket socket)
    {
        if (!OperatingSystem.IsLinux()) return;

        Span<byte> bytesPerSecond = stackalloc byte[sizeof(long)];
        MemoryMarshal.Write(bytesPerSecond, _parameters.FqBitsPerSecond / BitsPerByte);
        socket.SetRawSocketOption(SolSocket, SoMaxPacingRate, bytesPerSecond);
    }

    private TrafficSenderOptions OptionsOf(bool isClient, int senderCount)
    {
        double rate = _parameters.BitsPerSecond > 0
            ? RatePacer.InRange(_parameters.BitsPerSecond / (double)(BitsPerByte * _parameters.LengthBytes))
            : double.PositiveInfinity;
        return SenderOptions(senderCount) with
        {
            SizeBytes = _parameters.LengthBytes,
            DatagramsPerSecond = rate * senderCount,
            BurstDatagrams = _parameters.BurstDatagrams > 0 ? _parameters.BurstDatagrams : null,
            DatagramCount = isClient ? AmountOf() : null,
            Duration = isClient ? _parameters.Duration : null,
        };
    }

    // What is omitted does not count, and how much that is shows only then: the client's control ends the test.
    private long? AmountOf() =>
        _parameters.OmitSeconds > 0 ? null
        : _parameters.Blocks > 0 ? _parameters.Blocks
        : _parameters.Bytes > 0 ? ((_parameters.Bytes - 1) / _parameters.LengthBytes) + 1
        : null;

    private Func<IperfCounts> ReaderOf(StreamLink link)
    {
        if (_receivers.FirstOrDefault(flow => flow.Id == (ulong)link.Id) is { } receiver)
        {
            return () => receiver.ReferenceCounts;
        }

        SendFlow sender = _senders.First(flow => flow.Socket == link.Socket);
        return () =>
        {
            long datagrams = sender.Datagrams;
            return new IperfCounts { Total = datagrams, Bytes = datagrams * _parameters.LengthBytes };
        };
    }
}

/// <summary>The settings that a client and a server share. A client's wish for the server's CPU goes before.</summary>
internal record Iperf3EndOptions : EndOptions
{
    /// <summary>How long a receiver waits for data before it gives up: 120 s, as iperf3 does.</summary>
    public TimeSpan ReceiveTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>The time between two intervals; zero for a single one at the end.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    internal virtual void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(ReceiveTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, TimeSpan.Zero);
    }
}

/// <summary>The socket of one stream, connected to the other end.</summary>
internal sealed record StreamLink(int Id, bool Sends, UdpSocket Socket)
{
    /// <summary>The number of a stream: iperf3 has never used 2 (iperf_add_stream in iperf_api.c).</summary>
    public static int IdOf(int index) => index == 0 ? 1 : index + 2;

    public static Iperf3Test Begin(
        bool isClient,
        Iperf3Parameters parameters,
        string cookie,
        ControlStream control,
        IReadOnlyList<StreamLink> links,
        TimeProvider time) => new()
        {
            IsClient = isClient,
            Parameters = parameters,
            Cookie = cookie,
            Local = control.Local,
            Remote = control.Remote,
            MaxSegmentBytes = control.ReadMaxSegmentBytes(),
            StartedAt = time.GetUtcNow(),
            Streams = [.. links.Select(static link => link.ToStream())],
            SendBufferBytes = links[0].Socket.SendBufferBytes,
            ReceiveBufferBytes = links[0].Socket.ReceiveBufferBytes,
        };

    private IperfStream ToStream() =>
        new(Id, Socket.LocalEndPoint, Socket.Peer) { Sends = Sends };
}
