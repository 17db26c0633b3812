namespace Spate.Cli.Iperf.Iperf2.Wire;

/// <summary>What a client asks its server to send back to it.</summary>
internal enum Iperf2Reverse
{
    /// <summary>Nothing is sent back.</summary>
    None,

    /// <summary>As much as the client sends, at the same time (<c>-d</c>).</summary>
    Together,

    /// <summary>As much as the client has sent, when that has ended (<c>-r</c>).</summary>
    After,
}
