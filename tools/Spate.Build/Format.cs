using System.Text.Encodings.Web;
using System.Text.Json;

namespace Spate.Build;

/// <summary>How files are written that people read and compare.</summary>
internal static class Format
{
    // Nothing here gets into a web page, so a quotation mark need not become a code.
    public static JsonSerializerOptions Indented { get; } = new()
    {
        WriteIndented = true,
        NewLine = "\n",
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };
}
