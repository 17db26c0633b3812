namespace Spate;

/// <summary>One feature, and whether it works on this machine, found by trying it.</summary>
public sealed record UdpCapability
{
    internal UdpCapability(string name, bool isAvailable, string reason)
    {
        Name = name;
        IsAvailable = isAvailable;
        Reason = reason;
    }

    /// <summary>The name of the capability, in camelCase as in reports.</summary>
    public string Name { get; }

    /// <summary>Whether the capability worked when it was tried.</summary>
    public bool IsAvailable { get; }

    /// <summary>The result of the probe, or why the capability is not available.</summary>
    public string Reason { get; }

    /// <summary>
    /// Whether the probe failed for lack of descriptors or memory, so that a later probe may succeed.
    /// </summary>
    internal bool IsTransient { get; init; }
}
