using System.Net;

namespace Spate.Tests;

/// <summary>Addresses of 127.0.0.0/8 for tests that bind the same port again and again.</summary>
internal static class OwnAddress
{
    /// <summary>
    /// An address and port that only this test uses and that nobody has now. On 127.0.0.1 the kernel might give the
    /// port to another socket as soon as it is free.
    /// </summary>
    public static UdpEndPoint New()
    {
        byte[] address = [127, (byte)Random.Shared.Next(100, 200), (byte)Random.Shared.Next(1, 255), 9];
        using UdpSocket socket = UdpSocket.Bind(new UdpEndPoint(new IPAddress(address), 0));
        return socket.LocalEndPoint;
    }
}
