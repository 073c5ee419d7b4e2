using Geo.Tool;
using Spectre.Console;

return await EntryPoint.RunAsync(args, AnsiConsole.Console, Console.Error);
