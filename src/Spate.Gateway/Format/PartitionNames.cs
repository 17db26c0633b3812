namespace Spate.Gateway.Format;

/// <summary>The names of the streams or queues of a gateway, for gateways and readers alike.</summary>
internal static class PartitionNames
{
    /// <summary>The longest name, in bytes of UTF-8: a short string of AMQP 0-9-1.</summary>
    public const int MaxBytes = 255;

    /// <summary>
    /// One partition has the name itself; of several, each has the name and its number: NAME-0, NAME-1...
    /// </summary>
    public static string[] Of(string name, int count) =>
        count == 1 ? [name] : [.. Enumerable.Range(0, count).Select(index => $"{name}-{index}")];
}
