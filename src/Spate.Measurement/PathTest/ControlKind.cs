namespace Spate.Measurement.PathTest;

/// <summary>The kinds of control datagrams, with their numbers on the wire; docs/protocol.md has the layouts.</summary>
internal enum ControlKind : byte
{
    /// <summary>Client: asks for a challenge. It is padded, so that the answer is not larger.</summary>
    Hello = 0x10,

    /// <summary>Server: a cookie for the address from which the hello came.</summary>
    Challenge = 0x11,

    /// <summary>Client: the cookie, and the test that is asked for.</summary>
    Request = 0x12,

    /// <summary>Server: the test's token, and the test as it is granted.</summary>
    Accept = 0x13,

    /// <summary>Server: why there is no test.</summary>
    Refuse = 0x14,

    /// <summary>Client: the cookie of a flow's address, and the flow's number.</summary>
    Join = 0x15,

    /// <summary>Server: the flow is open.</summary>
    Joined = 0x16,

    /// <summary>Client: all flows are open, and its receivers run.</summary>
    Start = 0x17,

    /// <summary>Server: its receivers run; its senders send.</summary>
    Started = 0x18,

    /// <summary>Both: the times and counts of this moment.</summary>
    Heartbeat = 0x19,

    /// <summary>Both: how many datagrams each flow has sent, now that it sends no more.</summary>
    Finish = 0x1A,

    /// <summary>Both: the other end's finish has arrived.</summary>
    FinishAcknowledged = 0x1B,

    /// <summary>Client: asks for parts of the server's report.</summary>
    Fetch = 0x1C,

    /// <summary>Server: one part of its report.</summary>
    Part = 0x1D,

    /// <summary>Client: the test is over.</summary>
    Bye = 0x1E,
}
