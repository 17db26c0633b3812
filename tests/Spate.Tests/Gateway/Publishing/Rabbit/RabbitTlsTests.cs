using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Spate.Gateway;
using Spate.Gateway.Publishing.Rabbit;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Publishing.Rabbit;

/// <summary>The check of certificates, in real handshakes over the loopback.</summary>
public sealed class RabbitTlsTests : IDisposable
{
    private readonly TestAuthority _authority = new();
    private readonly string _path = Path.GetTempFileName();

    public RabbitTlsTests() => File.WriteAllText(_path, _authority.Pem);

    public void Dispose()
    {
        _authority.Dispose();
        File.Delete(_path);
    }

    [Theory]
    [InlineData("localhost", "localhost", null)]
    [InlineData("127.0.0.1", "127.0.0.1", null)]
    [InlineData("broker.example", "localhost", "its certificate is for broker.example, not for localhost")]
    public async Task Validate_OwnAuthority_NameMustMatch(string certified, string host, string? expected)
    {
        using X509Certificate2 certificate = _authority.Issue(certified);
        Assert.Equal(expected, await HandshakeAsync(RabbitTls.Create(_path), certificate, host));
    }

    [Fact]
    public async Task Validate_OtherAuthorityOrPurpose_IsRefused()
    {
        using var other = new TestAuthority("Another");
        using X509Certificate2 foreign = other.Issue("localhost");
        using X509Certificate2 client = _authority.Issue("localhost", isServer: false);
        const string Expected = "its certificate is not issued by the given CA";

        Assert.StartsWith(Expected, await HandshakeAsync(RabbitTls.Create(_path), foreign, "localhost"));
        Assert.NotNull(await HandshakeAsync(RabbitTls.Create(_path), client, "localhost"));
    }

    [Fact]
    public async Task Validate_NoOwnAuthority_SystemDecides()
    {
        using X509Certificate2 certificate = _authority.Issue("localhost");
        Assert.StartsWith(
            "its certificate is not trusted by this system",
            await HandshakeAsync(RabbitTls.Create(authorityFile: null), certificate, "localhost"));
    }

    [Theory]
    [InlineData("", "holds no certificate")]
    [InlineData("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "cannot be read")]
    public void Create_NoCertificate_IsRefused(string content, string expected)
    {
        File.WriteAllText(_path, content);
        GatewayException refusal = Assert.Throws<GatewayException>(() => RabbitTls.Create(_path));
        Assert.Contains(expected, refusal.Message, StringComparison.Ordinal);
    }

    private static async Task<string?> HandshakeAsync(RabbitTls tls, X509Certificate2 certificate, string host)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        Task<TcpClient> accepting = listener.AcceptTcpClientAsync();
        await client.ConnectAsync((IPEndPoint)listener.LocalEndpoint);
        using TcpClient accepted = await accepting;

        // Without its key on a disk of the system, a certificate of an ephemeral key does not serve on Windows.
        using X509Certificate2 serving = X509CertificateLoader.LoadPkcs12(
            certificate.Export(X509ContentType.Pfx), password: null);
        await using var server = new SslStream(accepted.GetStream());
        Task serves = server.AuthenticateAsServerAsync(serving);
        var options = tls.OptionsFor(host, out RabbitTls.CertificateCheck check);
        await using var stream = new SslStream(
            client.GetStream(), leaveInnerStreamOpen: false, options.CertificateValidationCallback);
        try
        {
            await stream.AuthenticateAsClientAsync(options.ServerName);
            await serves;
            Assert.Null(check.Fault);
        }
        catch (AuthenticationException)
        {
            Assert.NotNull(check.Fault);
            client.Close();

            // With TLS 1.3 the server may have finished before the client looked at the certificate.
            await Task.WhenAny(serves);
        }

        return check.Fault;
    }
}
