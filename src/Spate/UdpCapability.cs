namespace Spate;

/// <summary>One thing that this machine can or cannot do, found by trying it.</summary>
public sealed record UdpCapability
{
    internal UdpCapability(string name, bool isAvailable, string reason)
    {
        Name = name;
        IsAvailable = isAvailable;
        Reason = reason;
    }

    /// <summary>Its name, in camelCase as in reports.</summary>
    public string Name { get; init; }

    /// <summary>Whether it worked when it was tried.</summary>
    public bool IsAvailable { get; init; }

    /// <summary>What was seen, or why it is not available.</summary>
    public string Reason { get; init; }

    /// <summary>Whether it failed for want of descriptors or memory, so that a later try may succeed.</summary>
    internal bool IsTransient { get; init; }
}
