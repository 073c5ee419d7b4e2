using Microsoft.Extensions.Logging;

namespace Geo.Directory.Tests;

/// <summary>What was logged, a line each.</summary>
internal sealed class LogLines : ILogger<GlobalDirectory>
{
    public List<(LogLevel Level, string Line)> Lines { get; } = [];

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Lines.Add((logLevel, formatter(state, exception)));
}
