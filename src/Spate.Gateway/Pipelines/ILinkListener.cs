namespace Spate.Gateway.Pipelines;

/// <summary>
/// What a link tells of one connection. Tags count the packs published on it, from 1. Any thread calls.
/// </summary>
internal interface ILinkListener
{
    /// <summary>The broker has the message, or with <paramref name="multiple"/> all up to it (tag 0: all).</summary>
    void OnConfirmed(ulong tag, bool multiple);

    /// <summary>The broker does not take the message, or with <paramref name="multiple"/> all up to it.</summary>
    void OnRefused(ulong tag, bool multiple);

    /// <summary>
    /// No queue has the message. Its confirm comes nevertheless, later, and means nothing.
    /// </summary>
    /// <param name="body">What was published, or at least its first 56 bytes.</param>
    void OnReturned(ReadOnlySpan<byte> body);

    /// <summary>The connection or its channel has ended; nothing more comes of it.</summary>
    /// <param name="reason">One line, escaped.</param>
    /// <param name="isRefusal">Whether the broker refuses what is published, so that waiting does not help.</param>
    void OnLost(string reason, bool isRefusal);

    /// <summary>The broker takes nothing until further notice, or takes messages again.</summary>
    /// <param name="reason">One line, escaped; null when it takes messages again.</param>
    void OnBlocked(string? reason);
}
