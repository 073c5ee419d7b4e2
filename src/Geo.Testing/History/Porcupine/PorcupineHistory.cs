using System.Text.RegularExpressions;

namespace Geo.Testing;

/// <summary>
/// Reads histories in the two forms in which the checker Porcupine publishes its own: of a key-value store (<c>{:process 9, :type :invoke,
/// :f :append, :key "0", :value "x"}</c>), and of Jepsen's register (<c>INFO jepsen.util - 0 :invoke :cas [3 0]</c>).
/// </summary>
public static partial class PorcupineHistory
{
    /// <summary>Reads a history, to be checked against <see cref="RegisterCall.Model"/>.</summary>
    /// <param name="lines">The file. What has no end in it, or an end that is not known, stays open; what has failed for certain is left
    /// out.</param>
    /// <returns>The history; the object of Jepsen's form has the key <c>register</c>.</returns>
    /// <exception cref="FormatException">A line is in neither form, or ends what was not begun.</exception>
    public static History<RegisterCall, string> Read(TextReader lines)
    {
        ArgumentNullException.ThrowIfNull(lines);
        var history = new History<RegisterCall, string>();
        var running = new Dictionary<string, HistoryOperation<RegisterCall, string>>();
        for (var number = 1; lines.ReadLine() is { } line; number++)
        {
            if (string.IsNullOrWhiteSpace(line))
            {
                continue;
            }

            var parts = KeyValueLine().Match(line) is { Success: true } pair ? pair : RegisterLine().Match(line);
            if (!parts.Success)
            {
                throw new FormatException($"Line {number} is no event of a key-value store or of a register: {line}");
            }

            var (process, type, asked) = (parts.Groups["process"].Value, parts.Groups["type"].Value, parts.Groups["asked"].Value);
            if (type == "invoke")
            {
                var key = parts.Groups["key"] is { Success: true, Value: var named } ? named : "register";
                running[process] = history.Call(key, process, Call(asked, parts));
            }
            else if (!running.Remove(process, out var operation))
            {
                throw new FormatException($"Line {number} ends what process {process} has not begun: {line}");
            }
            else if (type == "ok" || (type == "fail" && asked == "cas"))
            {
                operation.Return(asked switch
                {
                    "cas" => type,
                    "get" or "read" => Text(parts),
                    _ => "",
                });
            }
            else if (type == "fail")
            {
                operation.Fail();
            }
        }

        return history;
    }

    private static RegisterCall Call(string asked, Match parts) => asked switch
    {
        "get" or "read" => new(RegisterCallKind.Read),
        "put" or "write" => new(RegisterCallKind.Write, Text(parts)),
        "append" => new(RegisterCallKind.Append, Text(parts)),
        _ => new(RegisterCallKind.CompareAndSwap, parts.Groups["to"].Value, parts.Groups["from"].Value),
    };

    private static string Text(Match parts) => parts.Groups["value"].Value is var value && value == "nil" ? "" : value;

    [GeneratedRegex(
        """^\{:process (?<process>\d+), :type :(?<type>invoke|ok|fail|info), :f :(?<asked>get|put|append), :key "(?<key>.*)", """
        + """:value (?:"(?<value>.*)"|nil)\}$""")]
    private static partial Regex KeyValueLine();

    [GeneratedRegex(
        """^INFO\s+jepsen\.util\s+-\s+(?<process>\d+)\s+:(?<type>invoke|ok|fail|info)\s+:(?<asked>read|write|cas)\s+"""
        + """(?:\[(?<from>\d+)\s+(?<to>\d+)\]|(?<value>\S+))$""")]
    private static partial Regex RegisterLine();
}
