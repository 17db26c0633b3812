namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>How a flow ended at a server.</summary>
internal enum Iperf2End
{
    /// <summary>Its client ended it, so how many were sent is known.</summary>
    Finished,

    /// <summary>Nothing came for <c>Patience</c>.</summary>
    Silent,

    /// <summary>It was silent, and another flow needed its place.</summary>
    Replaced,

    /// <summary>The server was stopped.</summary>
    Stopped,
}
