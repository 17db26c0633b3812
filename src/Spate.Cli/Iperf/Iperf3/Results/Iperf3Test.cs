using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>A test that has been agreed on and whose streams exist.</summary>
internal sealed record Iperf3Test
{
    /// <summary>Whether this end is the client.</summary>
    public required bool IsClient { get; init; }

    /// <summary>What was agreed on; the length is never 0.</summary>
    public required Iperf3Parameters Parameters { get; init; }

    /// <summary>The client's cookie: 36 characters, for a server those that a stranger sent.</summary>
    public required string Cookie { get; init; }

    /// <summary>This end of the control connection, an IPv4 address where it is one.</summary>
    public required IPEndPoint Local { get; init; }

    /// <summary>The other end of the control connection, an IPv4 address where it is one.</summary>
    public required IPEndPoint Remote { get; init; }

    /// <summary>The MSS of the control connection in bytes; 0 where it is not known.</summary>
    public required int MaxSegmentBytes { get; init; }

    /// <summary>When the test began.</summary>
    public required DateTimeOffset StartedAt { get; init; }

    /// <summary>The streams in the order of their beginning.</summary>
    public required IReadOnlyList<Iperf3Stream> Streams { get; init; }

    /// <summary>The send buffer that a socket of the streams has, in bytes.</summary>
    public required int SendBufferBytes { get; init; }

    /// <summary>The receive buffer that a socket of the streams has, in bytes.</summary>
    public required int ReceiveBufferBytes { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(Iperf3Test), PrintMembers, (nameof(Streams), Streams));
}

/// <summary>One stream of a test, with its socket's ends.</summary>
/// <param name="Id">The number that both ends know it by: 1, 3, 4, 5 and so on; 2 is never used (iperf_api.c).</param>
/// <param name="Sends">Whether this end sends.</param>
/// <param name="Local">This end.</param>
/// <param name="Remote">The other end.</param>
internal sealed record Iperf3Stream(int Id, bool Sends, IPEndPoint Local, IPEndPoint Remote);
