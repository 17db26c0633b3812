using System.Diagnostics;
using System.IO.Compression;
using System.Xml.Linq;

namespace Spate.Tests.Serving;

/// <summary>The package Spate.Serving uses internals of Spate, and fits only its own version.</summary>
public sealed class PackageTests
{
    [Fact]
    public async Task Pack_DependencyOnSpate_IsExactlyItsOwnVersion()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("spate-pack");
        try
        {
            await PackAsync(folder.FullName);
            string package = Assert.Single(Directory.GetFiles(folder.FullName, "*.nupkg"));
            using ZipArchive archive = await ZipFile.OpenReadAsync(package, TestContext.Current.CancellationToken);
            using Stream text = archive.Entries.Single(entry => entry.Name is "Spate.Serving.nuspec").Open();
            XDocument nuspec = XDocument.Load(text);

            XElement dependency = Assert.Single(
                nuspec.Descendants(), element => element.Name.LocalName is "dependency");
            string version = nuspec.Descendants().First(element => element.Name.LocalName is "version").Value;
            Assert.Equal("Spate", dependency.Attribute("id")!.Value);
            Assert.Equal($"[{version}]", dependency.Attribute("version")!.Value);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // What the tests were built with is packed, so nothing is built here.
    private static async Task PackAsync(string folder)
    {
        var output = new DirectoryInfo(AppContext.BaseDirectory);
        DirectoryInfo top = output;
        while (!File.Exists(Path.Combine(top.FullName, "Spate.slnx"))) top = top.Parent!;
        ProcessStartInfo start = new("dotnet")
        {
            WorkingDirectory = top.FullName,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            ArgumentList =
            {
                "pack", "src/Spate.Serving", "--no-build", "-nodeReuse:false", "-v:q",
                "-c", output.Parent!.Name, "-o", folder,
            },
        };
        using Process pack = Process.Start(start)!;
        Task<string> text = pack.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        string errors = await pack.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await pack.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(pack.ExitCode == 0, await text + errors);
    }
}
