namespace Geo.Processes;

/// <summary>
/// What a child process wrote that is not for its parent: kept in a file, which exists only when there is something to keep.
/// </summary>
/// <param name="path">The file; null to keep the last lines alone.</param>
/// <param name="maxLines">How many lines the file may have, the first ones.</param>
public sealed class ChildLog(string? path = null, int maxLines = 10_000) : IDisposable
{
    private const int MaxLastLines = 20;
    private readonly Lock _lock = new();
    private readonly Queue<string> _lastLines = [];
    private StreamWriter? _file;
    private int _lines;

    /// <summary>The last line; null when there is none.</summary>
    public string? Last
    {
        get
        {
            lock (_lock)
            {
                return _lastLines.LastOrDefault();
            }
        }
    }

    /// <summary>The last 20 lines, oldest first, also of those that found no room in the file.</summary>
    public IReadOnlyList<string> LastLines
    {
        get
        {
            lock (_lock)
            {
                return [.. _lastLines];
            }
        }
    }

    /// <summary>The file, if anything was written.</summary>
    public string? WrittenTo => _file is null ? null : path;

    public void Add(string? line)
    {
        if (string.IsNullOrWhiteSpace(line))
        {
            return;
        }

        lock (_lock)
        {
            _lastLines.Enqueue(line);
            if (_lastLines.Count > MaxLastLines)
            {
                _lastLines.Dequeue();
            }

            if (path is not null && ++_lines <= maxLines)
            {
                _file ??= Open(path);
                _file.WriteLine(line);
            }
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _file?.Dispose();
        }
    }

    private static StreamWriter Open(string path)
    {
        System.IO.Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
        return new StreamWriter(path, append: false) { AutoFlush = true };
    }
}
