using System.Globalization;
using System.Text;

namespace Spate.Cli.Output;

/// <summary>
/// Decides in which characters the tool writes to stdout and stderr: UTF-8, or ASCII where the user's locale is not of
/// UTF-8, as with <c>LC_ALL=C</c>. All text passes here, so that no other code asks for the locale.
/// </summary>
internal static class OutputEncoding
{
    // POSIX gives the variables this precedence for the category of characters.
    private static readonly string[] Variables = ["LC_ALL", "LC_CTYPE", "LANG"];

    /// <summary>
    /// The encoding that an environment asks for. It is UTF-8 where none of the variables is set: containers, services
    /// and sessions over ssh that pass no locale on start like that, and their output is read by terminals that know
    /// UTF-8.
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
        _ => string.Create(CultureInfo.InvariantCulture, $"\\u{rune.Value:x4}"), // as SafeText writes them
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
