namespace Spate;

/// <summary>One thing that this machine can or cannot do, found by trying it.</summary>
/// <param name="Name">Its name, in camelCase as in reports.</param>
/// <param name="IsAvailable">Whether it worked when it was tried.</param>
/// <param name="Reason">What was seen, or why it is not available.</param>
public sealed record UdpCapability(string Name, bool IsAvailable, string Reason)
{
    /// <summary>Whether it failed for want of descriptors or memory, so that a later try may succeed.</summary>
    internal bool IsTransient { get; init; }
}
