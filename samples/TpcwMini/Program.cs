using Spectre.Console;
using TpcwMini.Commands;

return await EntryPoint.RunAsync(args, AnsiConsole.Console);
