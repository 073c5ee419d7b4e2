using System.IO.MemoryMappedFiles;

namespace Geo.Orleans.Tests.Processes;

/// <summary>
/// What a silo's process has served, in a file that both it and the test see at once and that outlives it. Times are
/// <see cref="System.Diagnostics.Stopwatch"/> timestamps, which all processes of a machine share.
/// </summary>
internal sealed class ServedMarks : IDisposable
{
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    public ServedMarks(string path, int keys)
    {
        var bytes = sizeof(long) * ((2 * keys) + 1);
        _file = MemoryMappedFile.CreateFromFile(path, FileMode.OpenOrCreate, null, bytes);
        _view = _file.CreateViewAccessor(0, bytes);
    }

    /// <summary>True when every key has its activation in that process.</summary>
    public bool IsReady
    {
        get => _view.ReadInt64(0) != 0;
        set => _view.Write(0, value ? 1L : 0L);
    }

    /// <summary>When the latest call that was answered began to run in that process.</summary>
    public long Answered(int key) => _view.ReadInt64(Place(key));

    public void MarkAnswered(int key, long began)
    {
        if (began > Answered(key))
        {
            _view.Write(Place(key), began);
        }
    }

    /// <summary>When the latest call began to run in that process, answered or not.</summary>
    public long Began(int key) => _view.ReadInt64(Place(key) + sizeof(long));

    public void MarkBegan(int key, long began) => _view.Write(Place(key) + sizeof(long), began);

    public void Dispose()
    {
        _view.Dispose();
        _file.Dispose();
    }

    private static long Place(int key) => sizeof(long) * (1L + (2 * key));
}
