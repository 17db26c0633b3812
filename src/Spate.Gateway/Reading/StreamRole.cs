namespace Spate.Gateway.Reading;

/// <summary>What the messages of a consumer are read for.</summary>
internal enum StreamRole
{
    /// <summary>All messages, for the datagrams in them.</summary>
    Records = 0,

    /// <summary>One message, to learn where the last chunk begins.</summary>
    LastChunk,

    /// <summary>One message, to learn what was published after reading began.</summary>
    Later,

    /// <summary>One message, to learn whether the last one that was read is still there.</summary>
    Probe,
}
