namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>A test of iperf3's protocol could not go on. The message is one line for people, and says why.</summary>
internal sealed class Iperf3Exception : Exception
{
    /// <param name="message">It may hold text of the other end: whatever shows it escapes it.</param>
    public Iperf3Exception(string message, Exception? cause = null)
        : base(message, cause)
    {
    }
}
