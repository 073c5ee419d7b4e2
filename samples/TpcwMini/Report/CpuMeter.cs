namespace TpcwMini.Report;

/// <summary>Processor time used by each process between two moments.</summary>
internal sealed class CpuMeter
{
    private readonly TimeProvider _time;
    private readonly IReadOnlyList<(string Name, Func<TimeSpan> Used)> _processes;
    private readonly TimeSpan[] _before;
    private readonly long _start;

    /// <summary>Starts to measure.</summary>
    public CpuMeter(TimeProvider time, IReadOnlyList<(string Name, Func<TimeSpan> Used)> processes)
    {
        (_time, _processes) = (time, processes);
        _before = [.. processes.Select(process => process.Used())];
        _start = time.GetTimestamp();
    }

    /// <summary>The load since the start; a process that has ended since counts as idle.</summary>
    public IReadOnlyList<ProcessLoad> Read()
    {
        var elapsed = _time.GetElapsedTime(_start);
        return
        [
            .. _processes.Select((process, i) => new ProcessLoad(
                process.Name, Math.Round(Math.Max(0, 100 * ((process.Used() - _before[i]) / elapsed)), 1))),
        ];
    }
}
