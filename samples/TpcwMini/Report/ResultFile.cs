using TpcwMini.Options;

namespace TpcwMini.Report;

/// <summary>Writes what a run found out into files.</summary>
internal static class ResultFile
{
    /// <summary>Writes the file, or ends in one line that says why it cannot be.</summary>
    public static void Save(string path, string content) => Write(path, content, File.WriteAllText);

    /// <summary>Adds a line to the file, or ends as <see cref="Save"/>.</summary>
    public static void Append(string path, string line) => Write(path, line + "\n", File.AppendAllText);

    private static void Write(string path, string content, Action<string, string?> write)
    {
        try
        {
            if (Path.GetDirectoryName(Path.GetFullPath(path)) is { Length: > 0 } folder)
            {
                Directory.CreateDirectory(folder);
            }

            write(path, content.ReplaceLineEndings("\n"));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new UsageException($"'{path}' cannot be written: {error.Message}");
        }
    }
}
