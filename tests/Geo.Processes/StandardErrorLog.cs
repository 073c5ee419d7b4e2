using Microsoft.Extensions.Logging;

namespace Geo.Processes;

/// <summary>Writes log entries to standard error, a line each: standard output belongs to the talk with the parent.</summary>
public sealed class StandardErrorLog : ILoggerProvider
{
    public ILogger CreateLogger(string categoryName) => new Category(categoryName);

    public void Dispose()
    {
    }

    private sealed class Category(string name) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                var cause = exception is null ? "" : $" [{exception.GetType().Name}: {exception.Message}]";
                Console.Error.WriteLine($"{logLevel} {name}: {formatter(state, exception)}{cause}".ReplaceLineEndings(" "));
            }
        }
    }
}
