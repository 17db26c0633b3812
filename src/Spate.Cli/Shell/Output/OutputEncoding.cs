using System.Text;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Output;

/// <summary>
/// Chooses the encoding of stdout and stderr: UTF-8, or ASCII where the user's locale has another encoding, as with
/// <c>LC_ALL=C</c>. All text is encoded here, so that no other code asks for the locale.
/// </summary>
internal static class OutputEncoding
{
    // In the order of precedence of POSIX for the category LC_CTYPE.
    private static readonly string[] Variables = ["LC_ALL", "LC_CTYPE", "LANG"];

    /// <summary>
    /// The encoding for an environment. Without any of the variables it is UTF-8: containers, services and sessions
    /// over ssh often start without a locale, and the terminals that show their output know UTF-8.
    /// </summary>
    public static Encoding Of(Func<string, string?> readVariable)
    {
        string? locale = Variables.Select(readVariable).FirstOrDefault(static text => !string.IsNullOrEmpty(text));
        bool isUtf8 = locale is null
            || locale.Contains("UTF-8", StringComparison.OrdinalIgnoreCase)
            || locale.Contains("UTF8", StringComparison.OrdinalIgnoreCase);
        return isUtf8
            ? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)
            : Encoding.GetEncoding("us-ascii", new AsciiFallback(), DecoderFallback.ReplacementFallback);
    }

    private static string Replace(Rune rune) => rune.Value switch
    {
        0x2013 or 0x2014 => "-",
        0x2588 => "#", // bars
        0xb5 or 0x3bc => "u", // micro
        0x2026 => "...",
        0x2018 or 0x2019 => "'",
        _ => PrintableText.Escape(rune),
    };

    private sealed class AsciiFallback : EncoderFallback
    {
        public override int MaxCharCount => @"\u10ffff".Length;

        public override EncoderFallbackBuffer CreateFallbackBuffer() => new AsciiFallbackBuffer();
    }

    private sealed class AsciiFallbackBuffer : EncoderFallbackBuffer
    {
        private string _text = "";
        private int _position;

        public override int Remaining => _text.Length - _position;

        public override bool Fallback(char charUnknown, int index) => Begin(
            Rune.TryCreate(charUnknown, out Rune rune) ? rune : Rune.ReplacementChar);

        public override bool Fallback(char charUnknownHigh, char charUnknownLow, int index) =>
            Begin(new Rune(charUnknownHigh, charUnknownLow));

        public override char GetNextChar() => Remaining > 0 ? _text[_position++] : '\0';

        public override bool MovePrevious()
        {
            if (_position == 0) return false;
            _position--;
            return true;
        }

        public override void Reset() => Begin(text: "");

        private bool Begin(Rune rune) => Begin(Replace(rune));

        private bool Begin(string text)
        {
            (_text, _position) = (text, 0);
            return text.Length > 0;
        }
    }
}
