using System.Net;
using System.Net.Sockets;

namespace Spate.RepoTests.Website;

/// <summary>Serves the files of a folder at the loopback address, as any web server would.</summary>
internal sealed class SiteServer : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly string _folder;
    private readonly Task _serving;

    public SiteServer(string folder)
    {
        _folder = folder;
        Address = $"http://127.0.0.1:{FreePort()}/";
        _listener.Prefixes.Add(Address);
        _listener.Start();
        _serving = ServeAsync();
    }

    public string Address { get; }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _serving;
        _listener.Close();
    }

    private async Task ServeAsync()
    {
        while (_listener.IsListening)
        {
            try
            {
                await AnswerAsync(await _listener.GetContextAsync());
            }
            catch (Exception fault) when (fault is HttpListenerException or ObjectDisposedException)
            {
                // The browser has left, or the server ends.
            }
        }
    }

    private async Task AnswerAsync(HttpListenerContext context)
    {
        string path = Path.Combine(_folder, context.Request.Url!.AbsolutePath.TrimStart('/'));
        using HttpListenerResponse response = context.Response;
        if (!File.Exists(path))
        {
            response.StatusCode = (int)HttpStatusCode.NotFound;
            return;
        }

        response.ContentType = Path.GetExtension(path) switch
        {
            ".html" => "text/html; charset=utf-8",
            ".js" => "text/javascript",
            ".css" => "text/css",
            ".json" => "application/json",
            ".svg" => "image/svg+xml",
            ".png" => "image/png",
            ".woff2" => "font/woff2",
            _ => "application/octet-stream",
        };
        await response.OutputStream.WriteAsync(await File.ReadAllBytesAsync(path));
    }

    private static int FreePort()
    {
        using TcpListener probe = new(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }
}
